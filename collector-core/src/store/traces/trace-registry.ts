import type { TraceKey } from "../../interfaces.js";
import type { Hash64 } from "../../hashing/seeded-hash.js";
import { hashTrace } from "../../hashing/span-hashes.js";
import { NO_SLOT, TraceChain } from "./trace-chain.js";
import { TraceHashTable } from "./trace-hash-table.js";
import { TraceRecord } from "./trace-record.js";

/** All traces by key, ordered by first span and by last span. */
export class TraceRegistry {
  /** By slot; the slot of a removed trace is reused. */
  readonly #traces: (TraceRecord | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #byKey = new TraceHashTable((slot, key) => {
    const trace = this.#traces[slot];
    return trace !== undefined && isOf(trace, key);
  });
  readonly #byAge = new TraceChain();
  readonly #byLastSpan = new TraceChain();
  /** Number of traces by tenant. */
  readonly #tenants = new Map<string, { count: number }>();
  /** The trace found last: spans of one trace arrive together. */
  #last: TraceRecord | undefined;
  #nextSequence = 1;
  #count = 0;
  #bytes = 0;

  get count(): number {
    return this.#count;
  }

  /** Estimated size. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The trace whose first span arrived first. */
  get oldest(): TraceRecord | undefined {
    return this.#at(this.#byAge.first);
  }

  /** The sequence of the newest trace, including removed ones. */
  get newestSequence(): number {
    return this.#nextSequence - 1;
  }

  /** The trace without a span for the longest time. */
  get leastRecent(): TraceRecord | undefined {
    return this.#at(this.#byLastSpan.first);
  }

  /** @param hash - of the key. Default: computed. */
  get(key: TraceKey, hash?: Hash64): TraceRecord | undefined {
    const last = this.#last;
    if (last !== undefined && isOf(last, key)) return last;
    const { lo } = hash ?? hashTrace(key.tenant, key.traceId);
    const found = this.#at(this.#byKey.find(lo, key));
    if (found !== undefined) this.#last = found;
    return found;
  }

  /** The trace at a slot. */
  at(slot: number): TraceRecord | undefined {
    return this.#traces[slot];
  }

  /** The traces with that id, at most one per tenant, newest first. */
  ofEveryTenant(traceId: string): TraceRecord[] {
    const found: TraceRecord[] = [];
    for (const tenant of this.#tenants.keys()) {
      const trace = this.get({ tenant, traceId });
      if (trace !== undefined) found.push(trace);
    }
    return found.sort((a, b) => b.sequence - a.sequence);
  }

  /** Creates a trace, to be added after its first span was stored. */
  create(key: TraceKey, hash: Hash64, isPartial: boolean, nowMs: number): TraceRecord {
    return new TraceRecord(this.takeSequence(), key, hash, isPartial, nowMs);
  }

  /** The sequence of a new trace that is created elsewhere. */
  takeSequence(): number {
    return this.#nextSequence++;
  }

  /** Creates a trace that has its sequence already, to be added after its first span was stored. */
  restore(
    key: TraceKey,
    hash: Hash64,
    sequence: number,
    isPartial: boolean,
    lastSpanAtMs: number,
  ): TraceRecord {
    return new TraceRecord(sequence, key, hash, isPartial, lastSpanAtMs);
  }

  /** Makes the next new trace newer than that sequence. */
  continueAfter(sequence: number): void {
    this.#nextSequence = Math.max(this.#nextSequence, sequence + 1);
  }

  add(trace: TraceRecord): void {
    const tenant = this.#tenants.get(trace.tenant);
    if (tenant === undefined) this.#tenants.set(trace.tenant, { count: 1 });
    else tenant.count++;
    const slot = this.#freeSlots.pop() ?? this.#traces.length;
    trace.slot = slot;
    this.#traces[slot] = trace;
    this.#byKey.add(trace.lo, slot);
    this.#byAge.append(slot);
    this.#byLastSpan.append(slot);
    this.#last = trace;
    this.#count++;
    this.#bytes += trace.bytes;
  }

  /** Records the arrival of a span. */
  touch(trace: TraceRecord, nowMs: number): void {
    trace.lastSpanAtMs = nowMs;
    this.#byLastSpan.moveToEnd(trace.slot);
  }

  /** Adds to the estimated size. */
  charge(bytes: number): void {
    this.#bytes += bytes;
  }

  remove(trace: TraceRecord): void {
    const { slot } = trace;
    const tenant = this.#tenants.get(trace.tenant);
    if (tenant !== undefined && --tenant.count === 0) this.#tenants.delete(trace.tenant);
    this.#byKey.remove(trace.lo, slot);
    this.#byAge.remove(slot);
    this.#byLastSpan.remove(slot);
    this.#traces[slot] = undefined;
    this.#freeSlots.push(slot);
    trace.isRemoved = true;
    if (this.#last === trace) this.#last = undefined;
    this.#count--;
    this.#bytes -= trace.bytes;
  }

  clear(): void {
    for (const trace of this.#traces) if (trace !== undefined) trace.isRemoved = true;
    this.#traces.length = 0;
    this.#freeSlots.length = 0;
    this.#byKey.clear();
    this.#byAge.clear();
    this.#byLastSpan.clear();
    this.#tenants.clear();
    this.#last = undefined;
    this.#count = 0;
    this.#bytes = 0;
  }

  #at(slot: number): TraceRecord | undefined {
    return slot === NO_SLOT ? undefined : this.#traces[slot];
  }
}

function isOf(trace: TraceRecord, { tenant, traceId }: TraceKey): boolean {
  return trace.traceId === traceId && trace.tenant === tenant;
}
