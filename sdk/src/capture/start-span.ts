import { currentContext, type ContextNode, type TraceState } from "./context.js";
import { newTraceId } from "./ids.js";
import { RecordedSpan } from "./recorded-span.js";
import type { Runtime } from "./runtime.js";

/** A trace that begins here. */
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

/** Starts a span where the calling code runs: as a child of the current one, or as the first of a new trace. */
export function startRecordedSpan(
  runtime: Runtime,
  name: string,
  spanType: string,
  parent: ContextNode | undefined = currentContext(),
): RecordedSpan {
  const nowMs = performance.now();
  const trace = parent === undefined ? newTrace(undefined, undefined, nowMs) : parent.trace;
  return new RecordedSpan(runtime, name, spanType, trace, parent, nowMs);
}
