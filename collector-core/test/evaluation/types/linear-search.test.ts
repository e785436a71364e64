import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { estimateClassWork } from "../../../src/evaluation/types/estimate-class-work.js";
import { estimateProgramSize } from "../../../src/evaluation/types/estimate-program-size.js";
import { compileSearch } from "../../../src/evaluation/types/linear-search.js";
import { runAtOnce } from "../../../src/runtime/steps.js";
import { randomRuns } from "../../random-runs.js";

function isFound(expression: string, text: string): boolean {
  return runAtOnce(compileSearch(expression).search(text));
}

const atom = fc.constantFrom(
  ...[
    "a",
    "b",
    ".",
    "\\d",
    "\\w",
    "\\pL",
    "\\x{1F642}",
    "[a-c]",
    "[^a\\]]",
    "[[:digit:]x]",
    "\\b",
    "\\B",
    "^",
    "$",
  ],
  ...[
    "\\A",
    "\\z",
    "(?s:.)",
    "(?m:^)",
    "(?m:$)",
    "(?i:A)",
    "(?i)ß",
    "é",
    "🙂",
    "\\Qa.b\\E",
    "\\n",
    "K",
    "(?i:k)",
  ],
);
const expression = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.tuple(tie("node"), tie("node")).map(([first, second]) => first + second),
    fc.tuple(tie("node"), tie("node")).map(([first, second]) => `(?:${first}|${second})`),
    fc
      .tuple(tie("node"), fc.constantFrom("*", "+", "?", "*?", "{2}", "{0,3}", "{2,}", "{3}"))
      .map(([inner, count]) => `(${inner})${count}`),
  ),
})).node;
const text = fc.string({
  unit: fc.constantFrom(...Array.from("abcABkKxé🙂ß1_ -.\n\u212a"), "\ud800"),
  maxLength: 30,
});

describe("a linear search", () => {
  it("returns the same result as RE2", () => {
    let found = 0;
    fc.assert(
      fc.property(expression, text, (written, searched) => {
        const expected = RE2JS.compile(written).matcher(searched).find();
        if (expected) found++;
        expect(isFound(written, searched)).toBe(expected);
      }),
      { numRuns: randomRuns(750), seed: 7 },
    );
    expect(found).toBeGreaterThan(300);
  });

  it("yields after a bounded number of states", () => {
    const steps = [...compileSearch("(?:a{0,30}){0,30}b").search("a".repeat(2000))].length;
    expect(steps).toBeGreaterThan(20);
  });

  it("rejects lookarounds and back references", () => {
    expect(() => compileSearch("a(?=b)")).toThrow("invalid");
    expect(() => compileSearch("(a)\\1")).toThrow("invalid");
  });
});

describe("the estimated size of an expression", () => {
  it("is an upper bound of the compiled size, within 8 instructions", () => {
    fc.assert(
      fc.property(expression, (written) => {
        expect(estimateProgramSize(written) + 8).toBeGreaterThanOrEqual(compileSearch(written).size);
      }),
      {
        numRuns: randomRuns(250),
        examples: [[String.raw`((a(\b)*){3}){3}`], ["((()*){3}){3}"], ["(((|a)*){3}){3}"]],
      },
    );
  });

  it.each([
    ["\\pL{1000}".repeat(111), 111_000],
    [`(?:${"a\\pL".repeat(240)}){1000}`, 480_000],
    ["((a{10}){10}){10}", 1000],
    ["[]{5}]{100}", 100],
    ["a".repeat(1000), 1000],
  ])("of %j is at least %i", (written, least) => {
    expect(estimateProgramSize(written)).toBeGreaterThanOrEqual(least);
  });

  it("stays small for typical expressions", () => {
    for (const written of [
      String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}`,
      String.raw`(?i)\b(?:refund|return|exchange)\b`,
      String.raw`\{[^}]{0,200}\}`,
      String.raw`https?://[\w.-]{1,200}/\S*`,
    ])
      expect(estimateProgramSize(written)).toBeLessThan(1000);
  });
});

describe("the estimated work on the classes of an expression", () => {
  const LIMIT = 400_000;

  it.each([
    ["a repeated range", `(?i)[${String.raw`a-\x{10FFFF}`.repeat(80)}]`],
    ["ranges without escapes", `(?i)[${"a-\u{10ffff}".repeat(80)}]`],
    ["a flag among others", `(?s-i:a)(?mi)${"[b-\u{10ffff}]".repeat(80)}`],
    ["alternatives", `(?i)${"[a-\u{10ffff}]|".repeat(80)}d`],
    ["shorter ranges", `(?i)[${"\u4e00-\u9fa5".repeat(300)}]`],
    ["escapes that are not numeric", String.raw`(?i)[${String.raw`\t-\uffff`.repeat(80)}]`],
    ["Unicode classes", String.raw`\pL`.repeat(300)],
    ["Unicode classes within a class", `[${String.raw`\p{Greek}`.repeat(80)}]`],
    ["a class that begins with a closing bracket", `(?i)[]${"a-\u{10ffff}".repeat(80)}]`],
  ])("exceeds the limit for %s", (_name, written) => {
    expect(estimateClassWork(written)).toBeGreaterThan(LIMIT);
  });

  it("stays small for typical expressions", () => {
    for (const written of [
      String.raw`(?i)\b[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,1000}\b`,
      String.raw`(?i)[a-z0-9_]+[^a-z]`.repeat(40),
      "(?i)[\u4e00-\u9fa5\u3040-\u30ff]+",
      String.raw`(?i)[[:alpha:]]{3}-\d+`,
      `[${String.raw`a-\x{10FFFF}`.repeat(80)}]`,
    ])
      expect(estimateClassWork(written)).toBeLessThan(LIMIT / 4);
  });
});
