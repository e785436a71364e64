import { currentContext } from "./context.js";
import { activeRuntime } from "./recording.js";
import { newTrace, startRecordedSpan } from "./start-span.js";
import { warnOnce } from "./warnings.js";

/** A score that the app or one of its users gives to a trace or a span. */
export interface Score {
  /** The trace that is scored. Default: the running one. */
  readonly traceId?: string | undefined;
  /** The span that is scored. Default: the whole trace; with no `traceId`, the current span. */
  readonly spanId?: string | undefined;
  /** What is scored: `user_feedback`, `correctness`, … */
  readonly type: string;
  /** 0 to 1. */
  readonly score: number;
  readonly label?: string | undefined;
  readonly comment?: string | undefined;
}

/** An id beyond these would have the collector refuse the whole batch (contract 1). */
const MAX_TRACE_ID_LENGTH = 128;
const MAX_SPAN_ID_LENGTH = 64;
const MAX_TYPE_LENGTH = 200;

/**
 * Sends a score from the app itself or its users. It travels as an evaluation span of its trace (contract 8) and is shown
 * beside the judge's. A score that cannot be used is left out with a warning: feedback must not break a request.
 */
export function score({ traceId, spanId, type, score: value, label, comment }: Score): void {
  const runtime = activeRuntime();
  if (runtime === undefined) return;
  const context = currentContext();
  const scoredTrace = traceId ?? context?.trace.traceId ?? "";
  const scoredSpan = spanId ?? (traceId === undefined ? context?.spanId : undefined) ?? "";
  const isUsable =
    isId(scoredTrace, MAX_TRACE_ID_LENGTH) &&
    (scoredSpan === "" || isId(scoredSpan, MAX_SPAN_ID_LENGTH)) &&
    isId(type, MAX_TYPE_LENGTH) &&
    Number.isFinite(value) &&
    value >= 0 &&
    value <= 1;
  if (!isUsable) {
    warnOnce("score", "score() needs a trace, a type and a score from 0 to 1: it is left out.");
    return;
  }
  const parent = { trace: newTrace(scoredTrace), spanId: scoredSpan, span: undefined };
  const span = startRecordedSpan(runtime, `evaluation.${type}`, "evaluation", parent);
  span.setAttributes({
    evaluation_type: type,
    evaluation_score: value,
    evaluation_label: label,
    evaluation_comment: comment,
    evaluation_source: "user",
    evaluation_outcome: "completed",
    evaluated_span_id: scoredSpan === "" ? undefined : scoredSpan,
  });
  span.end();
}

function isId(text: unknown, maxLength: number): boolean {
  return typeof text === "string" && text !== "" && text.length <= maxLength;
}
