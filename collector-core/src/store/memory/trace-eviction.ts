import type { EvictionReason } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import type { TraceRecord } from "../traces/trace-record.js";
import type { HeldTraces } from "./held-traces.js";
import { SpanCaps } from "./span-caps.js";
import type { WriteRoom } from "./trace-writer.js";

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

/** Why a whole trace is removed. */
type TraceReason = "max_traces" | "max_bytes" | "ttl" | "cleared";

/** Keeps the store within its bounds, and counts what it removes. */
export class TraceEviction implements WriteRoom {
  /** Limits the spans of each trace. */
  readonly caps: SpanCaps;
  readonly #held: HeldTraces;
  readonly #bounds: TraceBounds;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #counts: Record<TraceReason, number> = {
    max_traces: 0,
    max_bytes: 0,
    ttl: 0,
    cleared: 0,
  };

  constructor(held: HeldTraces, bounds: TraceBounds, clock: Pick<Clock, "monotonic">) {
    this.#held = held;
    const { spans, traces } = held;
    this.caps = new SpanCaps({ spans, traces, maxSpansPerTrace: bounds.maxSpansPerTrace });
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** Traces and spans removed since the start. */
  get counts(): Readonly<Record<EvictionReason, number>> {
    const { max_traces, max_bytes, ttl, cleared } = this.#counts;
    return {
      max_traces,
      max_bytes,
      disk_max_bytes: 0,
      ttl,
      pruned: 0,
      span_cap: this.caps.dropped,
      cleared,
    };
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
  makeRoomForTrace(): void {
    const { count, oldest } = this.#held.traces;
    if (count >= this.#bounds.maxTraces && oldest !== undefined) this.#evict(oldest, "max_traces");
  }

  /** Evicts the oldest traces until the store is within `maxBytes`. Reclaims dead space first. */
  makeRoomForBytes(): void {
    const held = this.#held;
    while (held.bytes > this.#bounds.maxBytes) {
      if (held.spans.reclaim()) continue;
      if (held.traces.oldest === undefined) return;
      this.#evict(held.traces.oldest, "max_bytes");
    }
  }

  #evict(trace: TraceRecord, reason: TraceReason): void {
    this.#held.remove(trace);
    this.#held.evicted.add(trace);
    this.#counts[reason]++;
  }
}
