import type { Clock } from "../../../runtime/clock.js";
import type { SpanLabels } from "../../traces/span-labels.js";
import type { SpanStore } from "../span-store.js";
import { NO_ROW } from "../../traces/span-table.js";
import { TraceBlock, type TraceFacts } from "./trace-block.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import { readState, rootNameOf } from "../../traces/trace-summary.js";
import { TraceValuesTable } from "../../traces/trace-values.js";

/** Traces whose facts are read between two looks at the clock. */
const TRACES_PER_LOOK = 8;

/**
 * The facts of all traces, in blocks in the order of their first arrival: a question looks at ten thousand traces and not
 * at their two hundred thousand spans. They are added up once, when the loop has time to spare or when they are asked
 * for, and kept until a span comes.
 */
export class TraceIndex {
  /** The oldest first; none is empty. */
  readonly #blocks: TraceBlock[] = [];
  readonly #values = new TraceValuesTable();

  constructor(
    private readonly spans: SpanStore,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  /** An estimate of the heap it takes. */
  get bytes(): number {
    return this.#blocks.length * TraceBlock.BYTES;
  }

  /** The oldest first. */
  get blocks(): readonly TraceBlock[] {
    return this.#blocks;
  }

  /** The newest block with traces that came before the one of that sequence. */
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

  /** Adds a trace that is newer than all others. */
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

  /** Says that the spans of a trace change: what was known of it is known no more. */
  forget(trace: TraceRecord): void {
    trace.changes++;
    trace.place?.forget(trace.place.slotOf(trace));
  }

  /** Sees to it that the facts of the trace at a slot are known. */
  require(block: TraceBlock, slot: number, trace: TraceRecord, nowMs: number): void {
    if (!block.isKnown(slot, nowMs)) block.know(slot, this.#read(trace, nowMs));
  }

  rootNameOf(block: TraceBlock, slot: number, trace: TraceRecord, nowMs: number): string {
    return block.rootName(slot, () => rootNameOf(trace, this.spans, nowMs));
  }

  /** Adds up what is not known, the newest first, until there is nothing left or the time has come (monotonic). */
  catchUp(deadlineMs: number): void {
    let read = 0;
    for (let last = this.#blocks.length - 1; last >= 0; last--) {
      const block = this.#blocks[last] as TraceBlock;
      if (block.unknownCount === 0) continue;
      const nowMs = this.clock.monotonic();
      for (let slot = block.slotsBefore(Number.POSITIVE_INFINITY) - 1; slot >= 0; slot--) {
        const trace = block.trace(slot);
        if (trace === undefined || block.isKnown(slot, nowMs)) continue;
        this.require(block, slot, trace, nowMs);
        if (++read % TRACES_PER_LOOK === 0 && this.clock.monotonic() >= deadlineMs) return;
      }
    }
  }

  #read(trace: TraceRecord, nowMs: number): TraceFacts {
    const { spans } = this;
    const { totals, status, holdsUntilMs } = readState(trace, spans, nowMs);
    const hasEvaluation = trace.firstEvaluation !== NO_ROW;
    const labels: SpanLabels[] = [];
    addLabels(labels, spans, trace.firstSpan);
    addLabels(labels, spans, trace.firstEvaluation);
    return {
      values: this.#values.of(labels, { tenant: trace.tenant, status, hasEvaluation }, trace.dropped?.totals),
      start: { epochMs: totals.startEpochMs, nanos: totals.startNanos },
      durationMs: totals.durationMs,
      costUsd: totals.costUsd,
      holdsUntilMs,
    };
  }
}

/** Adds the labels of a chain of rows, each once. */
function addLabels(labels: SpanLabels[], spans: SpanStore, first: number): void {
  let last: SpanLabels | undefined;
  for (let row = first; row !== NO_ROW; row = spans.next(row)) {
    const each = spans.labels(row);
    if (each !== last && !labels.includes(each)) labels.push(each);
    last = each;
  }
}
