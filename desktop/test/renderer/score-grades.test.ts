import { describe, expect, it } from "vitest";
import { directionOf, gradeScores, worstScore } from "../../src/renderer/score-grades.js";

describe("scores", () => {
  const score = (type: string, value: number) => ({ type, score: value, label: null });

  it("inverts types for which lower is better", () => {
    const graded = gradeScores([score("relevance", 0.94), score("hallucination", 0.62)]);
    expect(graded.map(({ grade }) => grade)).toEqual(["good", "bad"]);
    expect(worstScore(graded)?.score).toBe(0.62);
  });

  it("does not grade neutral types", () => {
    const graded = gradeScores([score("refusal", 0), score("relevance", 0.7)]);
    expect(graded.map(({ grade }) => grade)).toEqual(["good", "weak"]);
    expect(worstScore(graded)?.type).toBe("relevance");
  });

  it.each(["constructor", "__proto__"])("grades a type named %s like any unknown one", (type) => {
    const [graded] = gradeScores([score(type, 0.2)]);
    expect(graded).toMatchObject({ goodness: 0.2, grade: "bad" });
    expect(directionOf(type)).toBe("maximize");
  });
});
