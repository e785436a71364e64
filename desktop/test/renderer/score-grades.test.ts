import { describe, expect, it } from "vitest";
import { directionOf, gradeScores, worstScore } from "../../src/renderer/score-grades.js";
import { createSharedConfig } from "../../src/renderer/store/shared-config.js";
import { createThresholdsStore } from "../../src/renderer/store/thresholds-store.js";

describe("scores", () => {
  const score = (type: string, value: number) => ({ type, score: value, label: null });
  const NONE = new Map<string, number>();

  it("inverts types for which lower is better", () => {
    const graded = gradeScores([score("relevance", 0.94), score("hallucination", 0.62)], NONE);
    expect(graded.map(({ grade }) => grade)).toEqual(["good", "bad"]);
    expect(graded.map(({ isLowerBetter }) => isLowerBetter)).toEqual([false, true]);
    expect(worstScore(graded)?.score).toBe(0.62);
  });

  it("does not grade neutral types", () => {
    const graded = gradeScores([score("refusal", 0), score("relevance", 0.7)], NONE);
    expect(graded.map(({ grade }) => grade)).toEqual(["good", "weak"]);
    expect(worstScore(graded)?.type).toBe("relevance");
  });

  it("grades by the configured thresholds, as the Evaluations page does", () => {
    const thresholds = new Map([
      ["relevance", 0.95],
      ["conciseness", 0.2],
      ["hallucination", 0.8],
      ["contains", 0.1],
    ]);
    const scores = [
      score("relevance", 0.94),
      score("conciseness", 0.35),
      score("hallucination", 0.75),
      score("contains:refund", 0.05),
    ];
    const graded = gradeScores(scores, thresholds);
    expect(graded.map(({ grade }) => grade)).toEqual(["bad", "good", "weak", "bad"]);
    expect(worstScore(graded.slice(0, 2))?.type).toBe("relevance");
  });

  it("share one reading of the configuration with the page that opens, and read it again later or after a failure", async () => {
    let nowMs = 0;
    let reads = 0;
    let fails = true;
    const getConfig = createSharedConfig(
      {
        async getConfig() {
          reads++;
          if (fails) throw new Error("away");
          return { config: {} } as never;
        },
      },
      () => nowMs,
    );
    await expect(Promise.all([getConfig(), getConfig()])).rejects.toThrow("away");
    expect(reads).toBe(1);
    fails = false;
    await Promise.all([getConfig(), getConfig()]);
    nowMs += 1999;
    await getConfig();
    expect(reads).toBe(2);
    nowMs += 1;
    await getConfig();
    expect(reads).toBe(3);
  });

  it("has the thresholds of the collector, and the defaults without them", async () => {
    const config = { "evaluation.thresholds": { value: { relevance: 0.9, odd: "x" } } };
    const store = createThresholdsStore({ getConfig: async () => ({ config }) as never });
    await store.getState().load();
    expect([...store.getState().byType]).toEqual([["relevance", 0.9]]);
    const away = createThresholdsStore({ getConfig: () => Promise.reject(new Error("away")) });
    await away.getState().load();
    expect(away.getState().byType.size).toBe(0);
  });

  it.each(["constructor", "__proto__"])("grades a type named %s like any unknown one", (type) => {
    const [graded] = gradeScores([score(type, 0.2)], NONE);
    expect(graded).toMatchObject({ goodness: 0.2, grade: "bad" });
    expect(directionOf(type)).toBe("maximize");
  });
});
