import {
  BUILT_IN_TYPES,
  evaluationTypeName,
  isPastThreshold,
  type EvaluationDirection,
  type TraceSummary,
} from "@obspan/collector-core/api-schema";
import type { Thresholds } from "./store/thresholds-store.js";

type Score = TraceSummary["scores"][number];

/** Directions of the types that are known without the configuration. */
const DIRECTIONS: ReadonlyMap<string, EvaluationDirection> = new Map(
  // Of the types without a judge, lower is better for one.
  Object.entries<EvaluationDirection>({ ...BUILT_IN_TYPES, pii_leak: "minimize" }),
);
/** A score this close to its threshold is weak. */
const NEAR = 0.1;

export type Grade = "good" | "weak" | "bad";
/** The worst first. */
const GRADES: readonly Grade[] = ["bad", "weak", "good"];

/** A score with its grade. */
export interface GradedScore extends Score {
  /** From 0 to 1; 1 is best for every type. */
  readonly goodness: number;
  readonly grade: Grade;
  readonly isLowerBetter: boolean;
}

/** Grades scores by their thresholds; only bad ones are coloured. */
export function gradeScores(scores: readonly Score[], thresholds: Thresholds): GradedScore[] {
  return scores.map((score) => {
    const isLowerBetter = directionOf(score.type) === "minimize";
    return {
      ...score,
      isLowerBetter,
      goodness: isLowerBetter ? 1 - score.score : score.score,
      grade: gradeOf(score, directionOf(score.type), thresholds),
    };
  });
}

/** The grade of a score. */
export function gradeOf(
  { type, score }: Pick<Score, "type" | "score">,
  direction: EvaluationDirection,
  thresholds: Thresholds,
): Grade {
  const threshold = thresholds.get(evaluationTypeName(type));
  if (isPastThreshold(score, direction, threshold)) return "bad";
  const worse = direction === "minimize" ? score + NEAR : score - NEAR;
  return isPastThreshold(worse, direction, threshold) ? "weak" : "good";
}

/** The score shown as a number beside the strip. */
export function worstScore(scores: readonly GradedScore[]): GradedScore | undefined {
  const judged = scores.filter(({ type }) => directionOf(type) !== "neutral");
  return (judged.length > 0 ? judged : scores).toSorted(byGrade)[0];
}

/** The worst first. */
export function byGrade(a: GradedScore, b: GradedScore): number {
  return GRADES.indexOf(a.grade) - GRADES.indexOf(b.grade) || a.goodness - b.goodness;
}

/** The direction of a type; higher is better for an unknown one. */
export function directionOf(type: string): EvaluationDirection {
  return DIRECTIONS.get(evaluationTypeName(type)) ?? "maximize";
}
