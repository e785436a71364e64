import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BUILT_IN_TYPES } from "@obspan/collector-core/api-schema";
import { describe, expect, it, onTestFinished } from "vitest";
import { startJudgeServer } from "../../collector-core/test/evaluation/judge-server.js";

const FOLDER = new URL("../judges/labelled/", import.meta.url);
const SCRIPT = fileURLToPath(new URL("../../scripts/judge-agreement.mjs", import.meta.url));

interface Case {
  readonly expected: readonly [number, number];
  readonly text: Readonly<Record<string, unknown>>;
}

const casesOf = (type: string): Case[] =>
  JSON.parse(readFileSync(new URL(`${type}.json`, FOLDER), "utf8")) as Case[];

describe("the labelled sets of the built-in types", () => {
  it("exist for each type, with good and bad answers", () => {
    expect(readdirSync(FOLDER).sort()).toEqual(
      Object.keys(BUILT_IN_TYPES)
        .map((type) => `${type}.json`)
        .sort(),
    );
    for (const type of Object.keys(BUILT_IN_TYPES)) {
      const cases = casesOf(type);
      expect(cases.length, type).toBeGreaterThanOrEqual(6);
      expect(Math.min(...cases.map(({ expected: [from] }) => from)), type).toBe(0);
      expect(Math.max(...cases.map(({ expected: [, to] }) => to)), type).toBe(1);
      for (const { expected, text } of cases) {
        expect(expected[0]).toBeLessThan(expected[1]);
        expect(text["completion"] ?? text["tool_calls"]).toBeDefined();
      }
    }
  });

  it("let the script report how many scores of a judge are in range, and which are not", async () => {
    // A judge that is right for all types but one.
    const expected = new Map(
      Object.keys(BUILT_IN_TYPES).flatMap((type) =>
        casesOf(type).map((each) => [JSON.stringify(each.text), each.expected] as const),
      ),
    );
    const judge = await startJudgeServer(({ material, text }) => {
      const [from = 0, to = 0] = expected.get(JSON.stringify(material)) ?? [];
      return text.includes("Refusal:")
        ? { score: to === 1 ? 0 : 1, explanation: "It is the other way round." }
        : { score: (from + to) / 2 };
    });
    onTestFinished(() => judge.close());
    const { code, output } = await run({
      OBS_SERVER_EVALUATION_JUDGE_PROVIDER: "ollama",
      OBS_SERVER_EVALUATION_JUDGE_BASE_URL: judge.url,
    });
    expect(output).toContain("ollama, qwen3:4b");
    expect(output).toMatch(/^relevance +6\/6$/m);
    expect(output).toMatch(/^refusal +0\/6$/m);
    expect(output).toContain("It is the other way round.");
    expect(output).toContain("54 of 60 agree (90 %)");
    expect(code).toBe(0);
  });
});

async function run(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [SCRIPT], { env: { ...process.env, ...env } });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { code, output };
}
