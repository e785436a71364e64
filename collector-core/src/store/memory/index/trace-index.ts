import type { Clock } from "../../../runtime/clock.js";
import type { SpanStore } from "../span-store.js";
import { TraceBlock } from "./trace-block.js";
import { readTraceFacts } from "../../traces/trace-facts.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import { rootNameOf } from "../../traces/trace-summary.js";
import { TraceValuesTable } from "../../traces/trace-values.js";

/** Traces read between two checks of the clock. */
const TRACES_PER_CHECK = 8;

/**
 * Caches the facts of all traces, in blocks ordered by first arrival: a query reads ten thousand traces instead of their
 * two hundred thousand spans. Facts are computed once, when the event loop is idle or a query needs them, and cached until the trace
 * gets a span.
 */
export class TraceIndex {
  readonly #spans: SpanStore;
  readonly #clock: Pick<Clock, "monotonic">;
  /** Oldest first; no block is empty. */
  readonly #blocks: TraceBlock[] = [];
  readonly #values = new TraceValuesTable();

  constructor(spans: SpanStore, clock: Pick<Clock, "monotonic">) {
    this.#spans = spans;
    this.#clock = clock;
  }

  /** Estimated heap size. */
  get bytes(): number {
    return this.#blocks.length * TraceBlock.BYTES;
  }

  /** Oldest first. */
  get blocks(): readonly TraceBlock[] {
    return this.#blocks;
  }

  /** The newest block with traces older than that sequence. */
  blockBefore(sequence: number): TraceBlock | undefined {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle] as TraceBlock).firstSequence < sequence) low = middle + 1;
      else high = middle;
    }
    return this.#blocks[low - 1];
  }

  /** The oldest block with traces newer than that sequence. */
  blockAfter(sequence: number): TraceBlock | undefined {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle] as TraceBlock).takes(sequence + 1)) high = middle;
      else low = middle + 1;
    }
    return this.#blocks[low];
  }

  /** Adds a trace, which must be newer than all others. */
  add(trace: TraceRecord): void {
    let block = this.#blocks.at(-1);
    if (block?.takes(trace.sequence) !== true) {
      block = new TraceBlock(trace.sequence);
      this.#blocks.push(block);
    }
    block.add(trace);
    trace.place = block;
  }

  remove(trace: TraceRecord): void {
    const { place } = trace;
    if (place === undefined) return;
    place.remove(trace);
    trace.place = undefined;
    if (place.count > 0) return;
    if (this.#blocks[0] === place) this.#blocks.shift();
    else
      this.#blocks.splice(
        this.#blocks.findIndex((block) => block === place),
        1,
      );
  }

  clear(): void {
    for (const block of this.#blocks) block.clear();
    this.#blocks.length = 0;
    this.#values.clear();
  }

  /** Invalidates the cached facts of a trace whose spans changed. */
  invalidate(trace: TraceRecord): void {
    trace.changes++;
    trace.place?.invalidate(trace.place.slotOf(trace));
  }

  /** Computes the facts of the trace at a slot unless they are cached. */
  ensure(block: TraceBlock, slot: number, trace: TraceRecord, nowMs: number): void {
    if (!block.isCached(slot, nowMs))
      block.set(slot, readTraceFacts(trace, this.#spans, this.#values, nowMs));
  }

  rootNameOf(block: TraceBlock, slot: number, trace: TraceRecord, nowMs: number): string {
    return block.rootName(slot, () => rootNameOf(trace, this.#spans, nowMs));
  }

  /** Computes missing facts, newest traces first, until the deadline (monotonic clock). @returns true if none is missing. */
  catchUp(deadlineMs: number): boolean {
    let read = 0;
    for (let last = this.#blocks.length - 1; last >= 0; last--) {
      const block = this.#blocks[last] as TraceBlock;
      if (block.uncachedCount === 0) continue;
      const nowMs = this.#clock.monotonic();
      for (let slot = block.slotsBefore(Number.POSITIVE_INFINITY) - 1; slot >= 0; slot--) {
        const trace = block.trace(slot);
        if (trace === undefined || block.isCached(slot, nowMs)) continue;
        this.ensure(block, slot, trace, nowMs);
        if (++read % TRACES_PER_CHECK === 0 && this.#clock.monotonic() >= deadlineMs) return false;
      }
    }
    return true;
  }
}
