import type { EvictionReason, Evictions } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { DroppedSpans } from "../traces/dropped-spans.js";
import type { TraceRecord } from "../traces/trace-record.js";
import type { HeldTraces } from "./held-traces.js";

/** Bounds of a memory trace store. */
export interface TraceBounds {
  /** `limits.max_traces`: the oldest traces are evicted beyond it. */
  readonly maxTraces: number;
  /** `trace_store.max_spans_per_trace`: the oldest spans of a trace are dropped beyond it. */
  readonly maxSpansPerTrace: number;
  /** `trace_store.ttl_seconds`: 0 disables expiry. */
  readonly ttlSeconds: number;
  /** `trace_store.max_bytes`: the oldest traces are evicted beyond it. Counts all memory of the store. */
  readonly maxBytes: number;
}

/** Evaluation spans kept per trace, apart from its other spans (contract 8). */
const MAX_EVALUATIONS_PER_TRACE = 100;

/** Keeps the store within its bounds, and counts what it removes. */
export class TraceEviction {
  readonly #held: HeldTraces;
  readonly #bounds: TraceBounds;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #counts: Record<EvictionReason, number> = {
    max_traces: 0,
    max_bytes: 0,
    ttl: 0,
    span_cap: 0,
    cleared: 0,
  };

  constructor(held: HeldTraces, bounds: TraceBounds, clock: Pick<Clock, "monotonic">) {
    this.#held = held;
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** Traces and spans removed since the start. */
  get counts(): Readonly<Record<EvictionReason, number>> {
    return { ...this.#counts };
  }

  /** Counts removed since an earlier value of {@link counts}; reasons without any are absent. */
  countsSince(before: Readonly<Record<EvictionReason, number>>): Evictions {
    const changed: Partial<Record<EvictionReason, number>> = {};
    for (const reason of Object.keys(before) as EvictionReason[]) {
      const count = this.#counts[reason] - before[reason];
      if (count > 0) changed[reason] = count;
    }
    return changed;
  }

  /** Counts traces that a client deleted. */
  countCleared(traces: number): void {
    this.#counts.cleared += traces;
  }

  /** Evicts the traces without a span for `ttlSeconds`. */
  evictExpired(): void {
    const { ttlSeconds } = this.#bounds;
    if (ttlSeconds === 0) return;
    const expiredBeforeMs = this.#clock.monotonic() - ttlSeconds * 1000;
    for (;;) {
      const trace = this.#held.traces.leastRecent;
      if (trace === undefined || trace.lastSpanAtMs > expiredBeforeMs) return;
      this.#evict(trace, "ttl");
    }
  }

  /** Makes room for one more trace. */
  evictForTrace(): void {
    const { count, oldest } = this.#held.traces;
    if (count >= this.#bounds.maxTraces && oldest !== undefined) this.#evict(oldest, "max_traces");
  }

  /** Evicts the oldest traces until the store is within `maxBytes`. Reclaims dead space first. */
  evictForBytes(): void {
    const held = this.#held;
    while (held.bytes > this.#bounds.maxBytes) {
      if (held.spans.reclaim()) continue;
      if (held.traces.oldest === undefined) return;
      this.#evict(held.traces.oldest, "max_bytes");
    }
  }

  /** Drops the oldest span of a trace that has too many. */
  capSpans(trace: TraceRecord): void {
    if (trace.spanCount <= this.#bounds.maxSpansPerTrace) return;
    const { spans, traces } = this.#held;
    const row = trace.firstSpan;
    if (trace.dropped === undefined) {
      trace.dropped = new DroppedSpans();
      traces.charge(DroppedSpans.BYTES);
    }
    trace.dropped.add(spans, trace, row);
    trace.firstSpan = spans.next(row);
    trace.spanCount--;
    spans.remove(trace, row);
    this.#counts.span_cap++;
  }

  /** Drops the oldest evaluation of a trace that has too many. */
  capEvaluations(trace: TraceRecord): void {
    if (trace.evaluationCount <= MAX_EVALUATIONS_PER_TRACE) return;
    const { spans } = this.#held;
    const row = trace.firstEvaluation;
    trace.firstEvaluation = spans.next(row);
    trace.evaluationCount--;
    spans.remove(trace, row);
    this.#counts.span_cap++;
  }

  #evict(trace: TraceRecord, reason: EvictionReason): void {
    this.#held.remove(trace);
    this.#held.evicted.add(trace);
    this.#counts[reason]++;
  }
}
