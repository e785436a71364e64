import type { SpanPricer } from "../prices/span-pricer.js";
import { toEpochMs, type RecordedSpan } from "../span/recorded-span.js";
import type { Span } from "../wire/index.js";

/** A span in the exporter's buffer. */
export interface QueuedSpan {
  readonly span: RecordedSpan;
  /** What the span counts in the buffer, in bytes of JSON. */
  bytes: number;
  /** Set if the span ended before the price table was loaded: it is priced when it is sent. */
  pricer: Pick<SpanPricer, "price"> | undefined;
  /** What is sent: the span as `beforeSend()` returned it. Absent without `beforeSend`. */
  wire?: Span;
}

/** Converts a span to its wire format, and releases its content once it has ended. */
export function toWireSpan({ span, pricer, wire: changed }: QueuedSpan): Span {
  pricer?.price(span);
  if (changed !== undefined) return changed;
  const isRunning = span.isRecording;
  const wire: Span = {
    name: span.name,
    span_type: span.spanType,
    trace_id: span.trace.traceId,
    span_id: span.spanId,
    start_time: toEpochMs(span.trace, span.startedAtMs),
    status: isRunning ? "RUNNING" : span.status,
  };
  if (span.parentSpanId !== "") wire.parent_span_id = span.parentSpanId;
  if (!isRunning) wire.duration_ms = Math.round(span.durationMs * 1000) / 1000;
  if (span.events !== undefined) wire.events = span.events;
  if (span.errorPropagated) wire.error_propagated = true;
  // The last key: see `revision-text.ts`.
  wire.attributes = span.attributes;
  span.release();
  return wire;
}
