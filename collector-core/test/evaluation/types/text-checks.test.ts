import { describe, expect, it } from "vitest";
import { createTextChecks, type TextCheckName } from "../../../src/evaluation/types/text-checks.js";
import { readEvaluatedText } from "../../../src/evaluation/evaluated-text.js";
import { createPersonalDataFinder } from "../../../src/pipeline/redaction/personal-data.js";
import { systemClock } from "../../../src/runtime/clock.js";
import { judgedSpan, startJudgedCollector } from "../judged-collector.js";

const checks = createTextChecks({ findPersonalData: createPersonalDataFinder(), clock: systemClock });

async function verdictOn(name: TextCheckName, parameter: string, completion: string) {
  const check = checks.check(name, parameter);
  return typeof check === "string" ? check : await check(readEvaluatedText({ completion_text: completion }));
}

/** Expressions that need much time with a completion of `a`, or much memory. */
const HOSTILE = [
  "\\pL{1000}$",
  "(?:(?:a{0,31}){0,31})$",
  "(?i)(?:[^x]{1,500}){1,2}y$",
  "(?:a|b|c|d){1000}",
  ".*".repeat(400) + "q",
  "(x+x+)+y",
  "\\pL{1000}".repeat(100),
  `(?:${"a\\pL".repeat(240)}){1000}`,
  "(?:\\PL{99}|\\pL{999}|\\pN{999}){1}$",
];

describe("contract 8: expressions that a sender chooses", () => {
  it("run in linear time, or are refused with a reason", async () => {
    for (const expression of HOSTILE) {
      const verdict = await verdictOn("regex", expression, "a".repeat(5000));
      if (typeof verdict === "string")
        expect(verdict).toContain("the expression compiles to more than 1000 instructions");
      else expect(verdict.label).toMatch(/match/);
    }
  });

  it("do not block the event loop, and count as errors when they are too large", async () => {
    const { post, evaluated, evaluationsOf, get, collector } = await startJudgedCollector();
    const types = HOSTILE.map((expression) => `regex:${expression}`);
    await post({ spans: [judgedSpan(types, {}, { completion_text: "a".repeat(20_000) })] });
    const health: number[] = [];
    do {
      const startMs = performance.now();
      await get("/health");
      health.push(performance.now() - startMs);
    } while ((collector.ledger().evaluated?.pending ?? 0) > 0);
    await evaluated();
    expect(Math.max(...health)).toBeLessThan(1500);
    const counts = collector.ledger().evaluated;
    expect(counts).toMatchObject({ offered: HOSTILE.length, dropped: 0, pending: 0 });
    const outcomes = (await evaluationsOf()).map(({ attributes }) => [
      attributes["evaluation_outcome"],
      attributes["error_message"],
    ]);
    expect(outcomes.filter(([outcome]) => outcome === "error").length).toBeGreaterThan(0);
    for (const [outcome, message] of outcomes)
      if (outcome === "error") expect(message).toContain("more than 1000 instructions");
  });

  it("are refused by POST /v1/evaluations when they are invalid", async () => {
    expect(await checks.problemOf("regex", "(")).toContain("the expression is not valid RE2 syntax: ");
    expect(await checks.problemOf("regex", "a{1000}{1000}")).toContain(
      "instructions; use smaller repetitions",
    );
    const ranges = String.raw`(?i)[${String.raw`a-\x{10FFFF}`.repeat(80)}]`;
    expect(await checks.problemOf("regex", ranges)).toContain(
      "the character classes of the expression contain too many",
    );
    expect(await checks.problemOf("regex", "\\d+")).toBeUndefined();
    expect(await checks.problemOf("contains", "")).toContain("contains must be written");
  });
});

describe("contract 8: checks of long or deeply nested completions", () => {
  it("validate JSON with ten thousand nested brackets", async () => {
    expect(await verdictOn("valid_json", "", "[".repeat(10_000) + "]".repeat(10_000))).toMatchObject({
      score: 1,
    });
    expect(await verdictOn("valid_json", "", "[".repeat(20_000))).toMatchObject({ score: 0 });
  });

  it("are inconclusive when the omitted part of ten megabytes could change the verdict", async () => {
    const json = JSON.stringify("x".repeat(10_000_000));
    expect(await verdictOn("valid_json", "", json)).toContain("the check is inconclusive");
    expect(await verdictOn("contains", "refund", json)).toContain("9980002 characters in its middle");
    expect(await verdictOn("contains", "xxx", json)).toMatchObject({ score: 1 });
    expect(await verdictOn("regex", "y", json)).toContain("the check is inconclusive");
    expect(await verdictOn("pii_leak", "", json)).toContain("the check is inconclusive");
    expect(await verdictOn("length", "-5000000", json)).toMatchObject({
      score: 0,
      explanation: "The completion has 10000002 characters.",
    });
  });
});
