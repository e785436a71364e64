import type { Clock } from "../../runtime/clock.js";
import type { Hash64 } from "../../hashing/seeded-hash.js";
import { hashSpan } from "../../hashing/span-hashes.js";
import type { TraceKey } from "../../interfaces.js";
import { DroppedSpans } from "../traces/dropped-spans.js";
import { FLOAT, NO_ROW } from "../traces/span-table.js";
import type { TraceRecord } from "../traces/trace-record.js";
import { TraceRegistry } from "../traces/trace-registry.js";
import type { MemoryInUse } from "./bytes/segment-store.js";
import { EvictedTraces } from "./evicted-traces.js";
import { TraceIndex } from "./index/trace-index.js";
import { SessionIndex } from "./sessions/session-index.js";
import { SpanStore } from "./span-store.js";
import type { WritableTraces } from "./trace-writer.js";

/** Generations of up to 98,304 evicted traces, in 2 MiB; smaller if `maxBytes` is less than 64 MiB. */
const MAX_EVICTED_PLACES = 2 ** 17;
/** A lookup ends at a free place, and a quarter of the places is free. */
const MIN_EVICTED_PLACES = 4;

/** Options of {@link HeldTraces}. */
export interface HeldTracesOptions {
  readonly maxBytes: number;
  /** Size of a segment. */
  readonly segmentBytes: number;
  /** Charged with the memory of removed traces that are still read. */
  readonly evictedInUse: MemoryInUse;
  readonly clock: Pick<Clock, "monotonic">;
}

/** The state of a memory trace store: its traces with their spans, index and sessions, and the ids of evicted traces. */
export class HeldTraces implements WritableTraces {
  readonly traces = new TraceRegistry();
  readonly spans: SpanStore;
  readonly index: TraceIndex;
  readonly sessions: SessionIndex;
  readonly evicted: EvictedTraces;

  constructor({ maxBytes, segmentBytes, evictedInUse, clock }: HeldTracesOptions) {
    this.spans = new SpanStore(segmentBytes, evictedInUse);
    this.index = new TraceIndex(this.spans, clock);
    this.sessions = new SessionIndex((slot) => this.traces.at(slot));
    const evictedPlaces = 2 ** Math.trunc(Math.log2(maxBytes / 512));
    this.evicted = new EvictedTraces(
      Math.min(MAX_EVICTED_PLACES, Math.max(MIN_EVICTED_PLACES, evictedPlaces)),
    );
  }

  /** All memory held, dead space included. */
  get bytes(): number {
    const { spans, traces, index, sessions, evicted } = this;
    return spans.bytes + traces.bytes + index.bytes + sessions.bytes + evicted.bytes;
  }

  /** Arrival of the oldest span that the oldest trace still has (wall clock); null without traces. */
  get oldestAtMs(): number | null {
    const { oldest } = this.traces;
    if (oldest === undefined) return null;
    return Math.min(this.#arrivalOf(oldest.firstSpan), this.#arrivalOf(oldest.firstEvaluation));
  }

  /** Finds a span by its id; `row` is {@link NO_ROW} if there is none. */
  findSpan(key: TraceKey, spanId: string): { trace: TraceRecord | undefined; row: number } {
    const trace = this.traces.get(key);
    return { trace, row: trace === undefined ? NO_ROW : this.spans.find(trace, hashSpan(trace, spanId)) };
  }

  find(key: TraceKey, hash: Hash64): TraceRecord | undefined {
    return this.traces.get(key, hash);
  }

  wasEvicted(hash: Hash64): boolean {
    return this.evicted.has(hash);
  }

  create(key: TraceKey, hash: Hash64, isPartial: boolean, nowMs: number): TraceRecord {
    return this.traces.create(key, hash, isPartial, nowMs);
  }

  added(trace: TraceRecord): void {
    this.traces.add(trace);
    this.index.add(trace);
    if (trace.sessionId !== "") this.sessions.join(trace);
  }

  namedSession(trace: TraceRecord): void {
    this.sessions.join(trace);
  }

  charge(bytes: number): void {
    this.traces.charge(bytes);
  }

  changed(trace: TraceRecord, nowMs: number): void {
    this.traces.touch(trace, nowMs);
    this.index.invalidate(trace);
    if (trace.session !== undefined) trace.session.changes++;
  }

  #arrivalOf(row: number): number {
    return row === NO_ROW ? Number.POSITIVE_INFINITY : this.spans.float(row, FLOAT.receivedAtMs);
  }

  /** Removes a trace with its spans. */
  remove(trace: TraceRecord): void {
    this.index.remove(trace);
    this.sessions.leave(trace);
    this.traces.remove(trace);
    this.spans.removeAll(trace);
    if (trace.dropped !== undefined) this.traces.charge(-DroppedSpans.BYTES);
    if (this.traces.count === 0 && !this.spans.isInBatch) this.spans.clear();
  }

  clear(): void {
    this.traces.clear();
    this.spans.clear();
    this.index.clear();
    this.sessions.clear();
    // A trace that comes again after it was cleared is not partial: an export can be imported as it was.
    this.evicted.clear();
  }
}
