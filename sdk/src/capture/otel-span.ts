import { activeRuntime } from "../runtime/active-runtime.js";
import type { ContextNode, ParentSpan, TraceState } from "../span/context.js";
import { RecordedSpan } from "../span/recorded-span.js";
import type { SpanAttributes } from "../span/span-handle.js";
import { newTrace } from "../span/start-span.js";

/*
 * The interface of the core for `integrations/otel`. It is not a part of `integration.ts`, so that other integrations and the
 * core are built without it.
 */

/** The type of spans whose attributes are those of OpenTelemetry. The collector reads their meaning (contract 6). */
const SPAN_TYPE = "otel:span";

/** What a span of OpenTelemetry starts with. */
export interface OtelSpanStart {
  readonly name: string;
  /** Undefined for the first span of a trace. */
  readonly parent: ContextNode | undefined;
  /** The id that another tracer gave it. Default: a new one. */
  readonly spanId?: string | undefined;
  /** Unix epoch milliseconds. Default: now. */
  readonly startMs?: number | undefined;
}

/** A span that keeps the names of OpenTelemetry. */
export interface OtelSpan extends RecordedSpan {
  /** Ends the span at a time in Unix epoch milliseconds. Default: now. */
  endAtEpochMs(epochMs: number | undefined): void;
  /** Adds an event at a time in Unix epoch milliseconds. Default: now. */
  addTimedEvent(name: string, attributes: SpanAttributes, epochMs: number | undefined): void;
}

/** Starts a span of OpenTelemetry. @returns undefined if nothing is recorded. */
export function startOtelSpan({ name, parent, spanId, startMs }: OtelSpanStart): OtelSpan | undefined {
  const runtime = activeRuntime();
  if (runtime === undefined) return undefined;
  const nowMs = performance.now();
  const trace = parent?.trace ?? newTrace(undefined, undefined, nowMs);
  const startedAtMs = startMs === undefined ? nowMs : startMs - trace.clockOffsetMs;
  const span = new RecordedSpan(runtime, name, SPAN_TYPE, trace, parent, startedAtMs);
  span.status = "UNSET";
  shareOwner(span, parent?.span);
  const otelSpan = Object.assign(span, {
    ...(spanId !== undefined && { spanId }),
    endAtEpochMs(epochMs: number | undefined) {
      const endMs = epochMs === undefined ? performance.now() : epochMs - trace.clockOffsetMs;
      span.endAt(Math.max(endMs, span.startedAtMs));
    },
    addTimedEvent(eventName: string, attributes: SpanAttributes, epochMs: number | undefined) {
      const before = span.events?.length;
      span.addEvent(eventName, attributes);
      const added = span.events?.length === before ? undefined : span.events?.at(-1);
      if (added !== undefined && epochMs !== undefined) added.time = epochMs;
    },
  });
  if (runtime.config.live) runtime.exporter.offer(span);
  return otelSpan;
}

/** Inside the span of a model call, a span of OpenTelemetry leaves the call to it: it is not recorded below once more. */
function shareOwner(span: RecordedSpan, outer: ParentSpan | undefined): void {
  if (outer === undefined || !("ownsModelCall" in outer)) return;
  Object.assign(span, { isModelRun: outer.isModelRun });
  // The owner may release the call later.
  Object.defineProperty(span, "ownsModelCall", { get: () => outer.ownsModelCall });
}

/** Traces of other tracers whose session and user are remembered, the most recent ones. */
const MAX_TRACES = 1000;
const traces = new Map<string, TraceState>();

/** The context of a span of another tracer. @param own - the context that the SDK knows, which may be of the same trace. */
export function contextOf(traceId: string, spanId: string, own: ContextNode | undefined): ContextNode {
  if (own?.trace.traceId === traceId) return { trace: own.trace, spanId, span: own.span };
  let trace = traces.get(traceId);
  if (trace === undefined) {
    trace = newTrace(traceId);
    traces.set(traceId, trace);
    const [oldest] = traces.keys();
    if (traces.size > MAX_TRACES && oldest !== undefined) traces.delete(oldest);
  }
  return { trace, spanId, span: undefined };
}
