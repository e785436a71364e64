import type { ContextNode } from "../span/context.js";
import type { SpanRecorder } from "../span/recorded-span.js";
import { newTrace, startRecordedSpan } from "../span/start-span.js";
import { warnOnce } from "../warnings.js";

/** A score of a trace or a span, given by the app or one of its users. */
export interface Score {
  /** The scored trace. Default: the current trace. */
  readonly traceId?: string | undefined;
  /** The scored span. Default: the whole trace; without `traceId`, the current span. */
  readonly spanId?: string | undefined;
  /** What is scored: `user_feedback`, `correctness`, … */
  readonly type: string;
  /** 0 to 1. */
  readonly score: number;
  readonly label?: string | undefined;
  readonly comment?: string | undefined;
}

/** The collector would refuse the whole batch if an id were longer (contract 1). */
const MAX_TRACE_ID_LENGTH = 128;
const MAX_SPAN_ID_LENGTH = 64;
const MAX_TYPE_LENGTH = 200;

/** Records a score as an evaluation span. An invalid score is left out with a warning. */
export function recordScore(
  runtime: SpanRecorder,
  given: Partial<Score> | undefined,
  context: ContextNode | undefined,
): void {
  const { traceId, spanId, type, score: value = NaN, label, comment } = given ?? {};
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
