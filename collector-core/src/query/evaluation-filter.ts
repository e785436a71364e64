import type { Evaluation, EvaluationQuery } from "../api-schema/evaluations.js";
import { evaluationTypeName } from "../api-schema/evaluation-types.js";
import { requireTimestamp } from "../span/required-timestamp.js";

/** A range of end times: `sinceMs` inclusive, `untilMs` exclusive. */
export interface EndedBetween {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The part of an entry of the log that a query filters by. */
export interface EndedEvaluation {
  readonly endedAtMs: number;
  readonly evaluation: Evaluation;
}

/**
 * The range of a query.
 *
 * @throws ApiError `invalid_query` if `since` or `until` is not a time.
 */
export function rangeOf(query: EvaluationQuery): EndedBetween {
  return {
    sinceMs: requireTimestamp(query.since, "since")?.epochMs ?? -Infinity,
    untilMs: requireTimestamp(query.until, "until")?.epochMs ?? Infinity,
  };
}

/** Returns a predicate for the evaluations of a query that ended in the range. */
export function evaluationFilter(
  query: EvaluationQuery,
  { sinceMs, untilMs }: EndedBetween,
): (entry: EndedEvaluation) => boolean {
  const types = query.type === undefined ? undefined : namesIn(query.type);
  const outcomes = query.outcome === undefined ? undefined : namesIn(query.outcome);
  const { trace_id, span_id, model, agent, service, tenant, source } = query;
  const { min_score: min, max_score: max, past_threshold: past } = query;
  const is = <T>(wanted: T | undefined, value: T): boolean => wanted === undefined || wanted === value;
  return ({ evaluation: each, endedAtMs }) =>
    endedAtMs >= sinceMs &&
    endedAtMs < untilMs &&
    (types === undefined || types.has(each.type) || types.has(evaluationTypeName(each.type))) &&
    is(trace_id, each.trace_id) &&
    is<string | null>(span_id, each.evaluated_span_id) &&
    is<string | null>(model, each.model) &&
    is<string | null>(agent, each.agent) &&
    is(service, each.service) &&
    is(tenant, each.tenant) &&
    (outcomes === undefined || outcomes.has(each.outcome)) &&
    is(source, each.source) &&
    is(past, each.past_threshold) &&
    (min === undefined || (each.score !== null && each.score >= min)) &&
    (max === undefined || (each.score !== null && each.score <= max));
}

function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(",").map((name) => name.trim()));
}
