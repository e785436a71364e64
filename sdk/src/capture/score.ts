import { withLateCode } from "../late-code.js";
import { activeRuntime } from "../runtime/active-runtime.js";
import { currentContext } from "../span/context.js";
import type { Score } from "./record-score.js";

/**
 * Sends a score from the app or its users. It is sent as an evaluation span of the trace (contract 8), and shown beside the
 * scores of the judge. An invalid score is left out with a warning: feedback must not break a request.
 *
 * @example
 * ```ts
 * score({ traceId, type: "user_feedback", score: 1, comment: "Thanks" });
 * ```
 */
export function score(given: Score): void {
  const runtime = activeRuntime();
  if (runtime === undefined) return;
  const context = currentContext();
  withLateCode((late) => late?.recordScore(runtime, given, context));
}
