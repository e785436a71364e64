import { DroppedSpans } from "../traces/dropped-spans.js";
import type { TraceRecord } from "../traces/trace-record.js";
import type { TraceRegistry } from "../traces/trace-registry.js";
import type { SpanStore } from "./span-store.js";

/** Evaluation spans kept per trace, apart from its other spans (contract 8). */
const MAX_EVALUATIONS_PER_TRACE = 100;

/** Options of {@link SpanCaps}. */
export interface SpanCapsOptions {
  readonly spans: SpanStore;
  /** Charged with what is kept of dropped spans. */
  readonly traces: Pick<TraceRegistry, "charge">;
  /** `trace_store.max_spans_per_trace`: the oldest spans of a trace are dropped beyond it. */
  readonly maxSpansPerTrace: number;
}

/** Limits the spans of each trace, and counts the spans it drops. */
export class SpanCaps {
  readonly #spans: SpanStore;
  readonly #traces: Pick<TraceRegistry, "charge">;
  readonly #maxSpansPerTrace: number;
  #dropped = 0;

  constructor({ spans, traces, maxSpansPerTrace }: SpanCapsOptions) {
    this.#spans = spans;
    this.#traces = traces;
    this.#maxSpansPerTrace = maxSpansPerTrace;
  }

  /** Spans dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Drops the oldest span of a trace that has too many. */
  capSpans(trace: TraceRecord): void {
    if (trace.spanCount <= this.#maxSpansPerTrace) return;
    const spans = this.#spans;
    const row = trace.firstSpan;
    if (trace.dropped === undefined) {
      trace.dropped = new DroppedSpans();
      this.#traces.charge(DroppedSpans.BYTES);
    }
    trace.dropped.add(spans, trace, row);
    trace.firstSpan = spans.next(row);
    trace.spanCount--;
    spans.remove(trace, row);
    this.#dropped++;
  }

  /** Drops the oldest evaluation of a trace that has too many. */
  capEvaluations(trace: TraceRecord): void {
    if (trace.evaluationCount <= MAX_EVALUATIONS_PER_TRACE) return;
    const spans = this.#spans;
    const row = trace.firstEvaluation;
    trace.firstEvaluation = spans.next(row);
    trace.evaluationCount--;
    spans.remove(trace, row);
    this.#dropped++;
  }
}
