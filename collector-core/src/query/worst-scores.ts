import type { EvaluationDirection } from "../api-schema/evaluation-types.js";
import type { SessionSummary } from "../api-schema/sessions.js";
import type { ScoreRange, SessionScore, StoredSession } from "../interfaces.js";

/** What tells a bad score from a good one. */
export interface ScoreScale {
  directionOf(type: string): EvaluationDirection;
  /** Null if no score of the type is bad. */
  thresholdOf(type: string, direction: EvaluationDirection): number | null;
}

/** A session as a response has it: with the worst of its scores, by their thresholds. */
export function withWorstScores(
  { scoreRanges, ...session }: StoredSession,
  scale: ScoreScale,
): SessionSummary {
  let worst: SessionSummary["worst_score"] = null;
  let furthest = Number.NEGATIVE_INFINITY;
  const scores = scoreRanges.map((range) => {
    const { type } = range;
    const direction = scale.directionOf(type);
    const { score, label, traceId } = worstOf(range, direction);
    const threshold = scale.thresholdOf(type, direction);
    const past = threshold === null ? null : direction === "minimize" ? score - threshold : threshold - score;
    if (past !== null && past > furthest) {
      furthest = past;
      worst = { type, score, label, trace_id: traceId };
    }
    return { type, score, label };
  });
  return { ...session, scores, worst_score: worst };
}

function worstOf({ lowest, highest }: ScoreRange, direction: EvaluationDirection): SessionScore {
  return direction === "minimize" ? highest : lowest;
}
