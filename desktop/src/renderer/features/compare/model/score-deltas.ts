import { directionOf } from "../../../score-grades.js";
import type { StepDetail, StepScore } from "../../../store/compare-store.js";

/** The latest score of each type. */
export function latestScores(scores: readonly StepScore[]): ReadonlyMap<string, StepScore> {
  const latest = new Map<string, StepScore>();
  for (const score of scores) {
    const known = latest.get(score.type);
    if (known === undefined || known.time < score.time) latest.set(score.type, score);
  }
  return latest;
}

/** A score that both steps have. */
export interface StepScoreDelta {
  readonly type: string;
  readonly delta: number;
  /** By more than a tenth of the scale. */
  readonly isWorse: boolean;
}

const LEAST = 0.1;

/** The differences of the scores that both steps have. */
export function scoreDeltas({ a, b }: StepDetail["scores"]): StepScoreDelta[] {
  const [inA, inB] = [latestScores(a), latestScores(b)];
  return [...inA].flatMap(([type, { score: before }]) => {
    const after = inB.get(type)?.score ?? null;
    if (before === null || after === null) return [];
    const delta = after - before;
    return [{ type, delta, isWorse: (directionOf(type) === "minimize" ? delta : -delta) > LEAST }];
  });
}
