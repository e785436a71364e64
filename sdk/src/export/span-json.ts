import { toEpochMs, type RecordedSpan } from "../capture/recorded-span.js";
import type { Span } from "../wire/index.js";

/** Turns a span into what goes over the wire, and lets go of what it carries: code that once ran inside it may hold it for long. */
export function handOver(span: RecordedSpan): Span {
  const wire = toWireSpan(span);
  releaseTexts(span);
  return wire;
}

/** By what the span is now: running, or ended. */
function toWireSpan(span: RecordedSpan): Span {
  const { prices } = span.runtime;
  if (span.waitsForPrice) prices?.price(span);
  const isRunning = span.durationMs < 0;
  const wire: Span = {
    name: span.name,
    span_type: span.spanType,
    trace_id: span.trace.traceId,
    span_id: span.spanId,
    start_time: toEpochMs(span.trace, span.startedAtMs),
    status: isRunning ? "RUNNING" : span.status,
    attributes: span.attributes,
  };
  if (span.parentSpanId !== "") wire.parent_span_id = span.parentSpanId;
  if (!isRunning) wire.duration_ms = Math.round(span.durationMs * 1000) / 1000;
  if (span.events !== undefined) wire.events = span.events;
  if (span.errorPropagated) wire.error_propagated = true;
  return wire;
}

/** Lets go of what a span carries, if it has ended. */
export function releaseTexts(span: RecordedSpan): void {
  if (span.durationMs < 0) return;
  span.attributes = {};
  span.events = undefined;
}
