import {
  BUILT_IN_TYPES,
  type EvaluationDirection,
  type TraceSummary,
} from "@obspan/collector-core/api-schema";

type Score = TraceSummary["scores"][number];

/** Directions of the types that are known without the configuration. */
const DIRECTIONS: ReadonlyMap<string, EvaluationDirection> = new Map(
  // Of the types without a judge, lower is better for one.
  Object.entries<EvaluationDirection>({ ...BUILT_IN_TYPES, pii_leak: "minimize" }),
);
const BAD_BELOW = 0.5;
const WEAK_BELOW = 0.75;

export type Grade = "good" | "weak" | "bad";

/** A score with its grade. */
export interface GradedScore extends Score {
  /** From 0 to 1; 1 is best for every type. */
  readonly goodness: number;
  readonly grade: Grade;
}

/** Grades scores; only bad ones are coloured. */
export function gradeScores(scores: readonly Score[]): GradedScore[] {
  return scores.map((score) => {
    const goodness = directionOf(score.type) === "minimize" ? 1 - score.score : score.score;
    return { ...score, goodness, grade: gradeOf(score.type, goodness) };
  });
}

/** The score shown as a number beside the strip. */
export function worstScore(scores: readonly GradedScore[]): GradedScore | undefined {
  const judged = scores.filter(({ type }) => directionOf(type) !== "neutral");
  return (judged.length > 0 ? judged : scores).toSorted((a, b) => a.goodness - b.goodness)[0];
}

function gradeOf(type: string, goodness: number): Grade {
  if (directionOf(type) === "neutral" || goodness >= WEAK_BELOW) return "good";
  return goodness < BAD_BELOW ? "bad" : "weak";
}

/** The direction of a type; higher is better for an unknown one. */
export function directionOf(type: string): EvaluationDirection {
  return DIRECTIONS.get(type) ?? "maximize";
}
