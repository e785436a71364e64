import { FEEDBACK_TYPE } from "../../api-schema/evaluation-types.js";
import { isSessionCondition, type SessionCondition } from "../../api-schema/query/conditions.js";
import { requireQuery } from "../../api-schema/query/parse-query.js";
import { findQueryKey, isSessionKey, type SessionMark } from "../../api-schema/query/query-keys.js";
import { readQueryTerms } from "../../api-schema/query/query-terms.js";
import { isInRanges } from "../../api-schema/query/query-values.js";
import type { TraceFilter } from "../../api-schema/trace.js";
import { UP_FROM } from "./session-totals.js";

/** The filters of a list of sessions, by what they are about. */
export interface SessionFilter {
  /** One trace of the session must meet it. */
  readonly traces: TraceFilter;
  /** The session must meet all of them. */
  readonly conditions: readonly SessionCondition[];
}

/**
 * Tells the conditions on sessions from those on their traces.
 *
 * @throws `ApiError` `invalid_query` if the query has an unknown key or a bad value.
 */
export function readSessionFilter({ query, ...traces }: TraceFilter): SessionFilter {
  if (query === undefined) return { traces, conditions: [] };
  const conditions = requireQuery(query, "sessions").filter(isSessionCondition);
  if (conditions.length === 0) return { traces: { ...traces, query }, conditions };
  const ofTraces = withoutSessionTerms(query);
  return { traces: /\S/.test(ofTraces) ? { ...traces, query: ofTraces } : traces, conditions };
}

/** The terms on traces. They stay where they are, so that a problem is named at its place. */
function withoutSessionTerms(query: string): string {
  const characters = Array.from({ length: query.length }, (_, at) => query.charAt(at));
  for (const { key, isAttribute, start, end } of readQueryTerms(query)) {
    const known = key === undefined || isAttribute ? undefined : findQueryKey(key);
    if (known !== undefined && isSessionKey(known)) characters.fill(" ", start, end);
  }
  return characters.join("");
}

/** What sessions are filtered by. */
export interface SessionFacts {
  readonly turns: number;
  readonly costUsd: number;
  readonly isRunning: boolean;
  readonly hasFailed: boolean;
  /** Whether a trace has a thumb up, or down. */
  readonly isUp: boolean;
  readonly isDown: boolean;
}

/** Whether a session meets all conditions. */
export function meetsConditions(facts: SessionFacts, conditions: readonly SessionCondition[]): boolean {
  return conditions.every((condition) => isMet(facts, condition) !== condition.isNegated);
}

function isMet(facts: SessionFacts, condition: SessionCondition): boolean {
  if (condition.kind === "session_label") return condition.values.some((value) => IS[value](facts));
  return isInRanges(condition.key === "turns" ? facts.turns : wholeNanos(facts.costUsd), condition.ranges);
}

const IS: Readonly<Record<SessionMark, (facts: SessionFacts) => boolean>> = {
  running: ({ isRunning }) => isRunning,
  idle: ({ isRunning }) => !isRunning,
  failed: ({ hasFailed }) => hasFailed,
  up: ({ isUp }) => isUp,
  down: ({ isDown }) => isDown,
  none: ({ isUp, isDown }) => !isUp && !isDown,
};

/** What a value asks of the traces of a session: that one meets a query, or that none does. */
export const QUERIES: Readonly<Record<SessionMark, { readonly query: string; readonly isAbsent: boolean }>> =
  {
    running: { query: "status:RUNNING", isAbsent: false },
    idle: { query: "status:RUNNING", isAbsent: true },
    failed: { query: "has:error", isAbsent: false },
    up: { query: `score:${FEEDBACK_TYPE}>=${UP_FROM}`, isAbsent: false },
    down: { query: `score:${FEEDBACK_TYPE}<${UP_FROM}`, isAbsent: false },
    none: { query: `score:${FEEDBACK_TYPE}`, isAbsent: true },
  };

/** Digits of a dollar that are compared: 0.1 and 0.2 are 0.3, whatever their sum as floats is. */
export const COST_DIGITS = 9;

function wholeNanos(usd: number): number {
  return Number(usd.toFixed(COST_DIGITS));
}
