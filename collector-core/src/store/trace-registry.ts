import type { TraceKey } from "../interfaces.js";
import { TraceChain, TraceRecord } from "./trace-record.js";

/** All traces: by key, in the order of their first span, and in the order of their last one. */
export class TraceRegistry {
  /** Tenants and trace ids are data: a Map takes `__proto__` for a key like any other. */
  readonly #byTenant = new Map<string, Map<string, TraceRecord>>();
  readonly #byAge = new TraceChain("older", "newer");
  readonly #byLastSpan = new TraceChain("quieter", "livelier");
  /** The trace that was found last: the spans of a trace come together. */
  #last: TraceRecord | undefined;
  #nextSequence = 1;
  #count = 0;
  #bytes = 0;

  get count(): number {
    return this.#count;
  }

  /** An estimate of the heap they take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The trace whose first span came first. */
  get oldest(): TraceRecord | undefined {
    return this.#byAge.first;
  }

  /** Of the newest trace there ever was. */
  get newestSequence(): number {
    return this.#nextSequence - 1;
  }

  /** The newest trace that came before the one of that sequence. */
  newestBefore(sequence: number): TraceRecord | undefined {
    let trace = this.#byAge.last;
    while (trace !== undefined && trace.sequence >= sequence) trace = trace.older;
    return trace;
  }

  /** The trace that has gone longest without a span. */
  get quietest(): TraceRecord | undefined {
    return this.#byLastSpan.first;
  }

  get(key: TraceKey): TraceRecord | undefined {
    const last = this.#last;
    if (last?.traceId === key.traceId && last.tenant === key.tenant) return last;
    const found = this.#byTenant.get(key.tenant)?.get(key.traceId);
    if (found !== undefined) this.#last = found;
    return found;
  }

  /** The traces of that id, one of each tenant that has it, newest first. */
  ofEveryTenant(traceId: string): TraceRecord[] {
    const found: TraceRecord[] = [];
    for (const traces of this.#byTenant.values()) {
      const trace = traces.get(traceId);
      if (trace !== undefined) found.push(trace);
    }
    return found.sort((a, b) => b.sequence - a.sequence);
  }

  /** A trace to be added when its first span has been stored. */
  create(key: TraceKey, isPartial: boolean, nowMs: number): TraceRecord {
    return new TraceRecord(this.#nextSequence++, key.tenant, key.traceId, isPartial, nowMs);
  }

  add(trace: TraceRecord): void {
    let traces = this.#byTenant.get(trace.tenant);
    if (traces === undefined) {
      traces = new Map();
      this.#byTenant.set(trace.tenant, traces);
    }
    traces.set(trace.traceId, trace);
    this.#byAge.append(trace);
    this.#byLastSpan.append(trace);
    this.#last = trace;
    this.#count++;
    this.#bytes += trace.bytes;
  }

  /** Notes that a span has come. */
  touch(trace: TraceRecord, nowMs: number): void {
    trace.lastSpanAtMs = nowMs;
    this.#byLastSpan.moveToEnd(trace);
  }

  /** Notes that a trace takes more, or less, heap. */
  charge(bytes: number): void {
    this.#bytes += bytes;
  }

  remove(trace: TraceRecord): void {
    const traces = this.#byTenant.get(trace.tenant);
    traces?.delete(trace.traceId);
    if (traces?.size === 0) this.#byTenant.delete(trace.tenant);
    this.#byAge.remove(trace);
    this.#byLastSpan.remove(trace);
    trace.isRemoved = true;
    if (this.#last === trace) this.#last = undefined;
    this.#count--;
    this.#bytes -= trace.bytes;
  }

  clear(): void {
    for (let trace = this.#byAge.first; trace !== undefined; trace = trace.newer) trace.isRemoved = true;
    this.#byTenant.clear();
    this.#byAge.clear();
    this.#byLastSpan.clear();
    this.#last = undefined;
    this.#count = 0;
    this.#bytes = 0;
  }
}
