import { currentContext, type ContextNode, type TraceState } from "./context.js";
import { newTraceId } from "./ids.js";
import { RecordedSpan, type SpanRecorder } from "./recorded-span.js";

/** The state of a trace that starts here. */
export function newTrace(traceId = newTraceId(), flags = "01", nowMs = performance.now()): TraceState {
  return {
    traceId,
    clockOffsetMs: Date.now() - nowMs,
    flags,
    sessionId: undefined,
    userId: undefined,
    agent: undefined,
  };
}

/** Starts a span as a child of the current span, or as the first span of a new trace. */
export function startRecordedSpan(
  runtime: SpanRecorder,
  name: string,
  spanType: string,
  parent: ContextNode | undefined = currentContext(),
): RecordedSpan {
  const nowMs = performance.now();
  const trace = parent === undefined ? newTrace(undefined, undefined, nowMs) : parent.trace;
  return new RecordedSpan(runtime, name, spanType, trace, parent, nowMs);
}
