import { originOf, type PipelineSpan } from "../../span/pipeline-span.js";
import type { StoredSpan } from "../../span/stored-span.js";
import type { Hash64 } from "../../hashing/seeded-hash.js";
import type { MemoryInUse, SpanSlice } from "./bytes/segment-store.js";
import { SpanBytes, type SpanPlace } from "./bytes/span-bytes.js";
import type { SpanDigest } from "../traces/span-digest.js";
import { flagsOf, isChildCall, isKnownWrapper } from "../traces/span-flags.js";
import { SpanLabelTable, type SpanLabels } from "../traces/span-labels.js";
import { ABANDONED_AFTER_MS, type SpanRows, type TraceHead } from "../traces/span-rows.js";
import {
  FLAG,
  FLOAT,
  floatsAt,
  INT,
  intsAt,
  NO_ROW,
  SpanTable,
  type FloatField,
} from "../traces/span-table.js";
import { TablePool } from "../traces/table-pool.js";
import type { TraceRecord } from "../traces/trace-record.js";
import { TraceSpanIndex } from "../traces/trace-span-index.js";

/** A trace of no more spans has no index: its few rows are scanned. */
const SHORT_TRACE_SPANS = 16;
/** Spans that a new index has room for. */
const INDEX_CAPACITY = SHORT_TRACE_SPANS * 2;

/** Flags that survive the replacement of a span. */
const LASTING_FLAGS = FLAG.wrapper;

/** A span at the time of a query, to be read later. */
export interface SpanSnapshot extends StoredSpan {
  readonly slice: SpanSlice;
}

/**
 * The spans of all traces: their JSON in segments, and the numbers read without parsing it in rows. Finds spans by id, and
 * model calls by their parent. The caller links the rows of a trace.
 */
export class SpanStore implements SpanRows {
  readonly #table = new SpanTable();
  /** The hash tables of long traces. */
  readonly #indexTables = new TablePool();
  readonly #labels = new SpanLabelTable();
  readonly #bytes: SpanBytes;

  constructor(segmentBytes: number, evictedInUse: MemoryInUse) {
    this.#bytes = new SpanBytes(segmentBytes, this.#table, evictedInUse);
  }

  get count(): number {
    return this.#table.rowCount;
  }

  /** Memory held, dead space included. */
  get bytes(): number {
    return this.#bytes.heldBytes + this.#table.bytes + this.#indexTables.bytes + this.#labels.bytes;
  }

  /** The row of a span by the hash of its id, or {@link NO_ROW}. */
  find(trace: TraceHead, { lo, hi }: Hash64): number {
    if (trace.index !== undefined) return trace.index.find(lo, hi);
    if (!trace.mayHaveSpan(lo)) return NO_ROW;
    const row = this.#findInChain(trace.firstSpan, lo, hi);
    return row === NO_ROW ? this.#findInChain(trace.firstEvaluation, lo, hi) : row;
  }

  #findInChain(first: number, lo: number, hi: number): number {
    for (let row = first; row !== NO_ROW;) {
      const { ints } = this.#table.page(row);
      const at = intsAt(row);
      if (ints[at + INT.idLo] === lo && ints[at + INT.idHi] === hi) return row;
      row = ints[at + INT.next] as number;
    }
    return NO_ROW;
  }

  /** Stores a span whose id its trace does not have. @returns its row. */
  add(trace: TraceRecord, span: PipelineSpan, seenAtMs: number): number {
    const table = this.#table;
    const row = table.add();
    try {
      this.#bytes.write(row, span);
    } catch (error) {
      // Out of memory: the store stays unchanged.
      table.remove(row);
      throw error;
    }
    const { lo, hi } = originOf(span).hashes.span;
    const { ints } = table.page(row);
    const at = intsAt(row);
    ints[at + INT.idLo] = lo;
    ints[at + INT.idHi] = hi;
    ints[at + INT.next] = NO_ROW;
    ints[at + INT.arrival] = trace.arrivals;
    ints[at + INT.flags] = 0;
    trace.noteSpan(lo);
    this.#describe(row, span, seenAtMs);
    if (trace.index !== undefined) this.#index(trace.index, row);
    else if (trace.spanCount + trace.evaluationCount >= SHORT_TRACE_SPANS) {
      trace.index = new TraceSpanIndex(this.#indexTables, INDEX_CAPACITY);
      for (const known of this.rowsOf(trace)) this.#index(trace.index, known);
      this.#index(trace.index, row);
    }
    return row;
  }

  #index(index: TraceSpanIndex, row: number): void {
    const { ints } = this.#table.page(row);
    const at = intsAt(row);
    index.add(ints[at + INT.idLo] as number, ints[at + INT.idHi] as number, row);
    if (isChildCall(ints[at + INT.flags] as number))
      index.addCall(ints[at + INT.parentLo] as number, ints[at + INT.parentHi] as number);
  }

  #uncountCall(index: TraceSpanIndex, row: number): void {
    if (!isChildCall(this.flags(row))) return;
    index.removeCall(this.#table.int(row, INT.parentLo), this.#table.int(row, INT.parentHi));
  }

  /** Replaces a span by another one with the same id. */
  replace(trace: TraceRecord, row: number, span: PipelineSpan, seenAtMs: number): void {
    this.#bytes.rewrite(row, span);
    if (trace.index !== undefined) this.#uncountCall(trace.index, row);
    this.#labels.release(this.#table.int(row, INT.labels));
    this.#describe(row, span, seenAtMs);
    if (trace.index !== undefined) this.#index(trace.index, row);
  }

  /** Removes one span of a trace that remains. */
  remove(trace: TraceRecord, row: number): void {
    if (trace.index !== undefined) {
      this.#uncountCall(trace.index, row);
      trace.index.remove(this.#table.int(row, INT.idLo), this.#table.int(row, INT.idHi));
    }
    this.#bytes.release(row);
    this.#labels.release(this.#table.int(row, INT.labels));
    this.#table.remove(row);
  }

  /** Removes all spans of a trace, and its index. */
  removeAll(trace: TraceRecord): void {
    trace.index?.release();
    trace.index = undefined;
    this.#removeChain(trace.firstSpan);
    this.#removeChain(trace.firstEvaluation);
  }

  #removeChain(first: number): void {
    for (let row = first; row !== NO_ROW;) {
      const next = this.next(row);
      this.#bytes.release(row);
      this.#labels.release(this.#table.int(row, INT.labels));
      this.#table.remove(row);
      row = next;
    }
  }

  /** See {@link SpanBytes.beginBatch}. */
  beginBatch(spans: readonly PipelineSpan[], from: number): number | undefined {
    return this.#bytes.beginBatch(spans, from);
  }

  /** See {@link SpanBytes.endBatch}. */
  endBatch(): void {
    this.#bytes.endBatch();
  }

  /** True between the two. */
  get isInBatch(): boolean {
    return this.#bytes.isInBatch;
  }

  /** Marks the parent of a model call that is about to be dropped as a wrapper. */
  markParentAsWrapper(trace: TraceHead, row: number): void {
    if (!isChildCall(this.flags(row))) return;
    const parentHash = { lo: this.#table.int(row, INT.parentLo), hi: this.#table.int(row, INT.parentHi) };
    const parent = this.find(trace, parentHash);
    if (parent !== NO_ROW) this.markAsWrapper(parent);
  }

  clear(): void {
    this.#table.clear();
    this.#indexTables.clear();
    this.#labels.clear();
    this.#bytes.clear();
  }

  /** Frees memory without losing a span. @returns false if there is none to free. */
  reclaim(): boolean {
    return this.#bytes.reclaim();
  }

  /** Moves live bytes out of segments that are mostly dead, up to about `budgetBytes`. */
  compact(budgetBytes: number): void {
    this.#bytes.compact(budgetBytes);
  }

  /** All rows of a trace, evaluations last. */
  rowsOf(trace: TraceRecord): number[] {
    const rows: number[] = [];
    for (let row = trace.firstSpan; row !== NO_ROW; row = this.next(row)) rows.push(row);
    for (let row = trace.firstEvaluation; row !== NO_ROW; row = this.next(row)) rows.push(row);
    return rows;
  }

  /** The next row of the same trace, by arrival. */
  next(row: number): number {
    return this.#table.int(row, INT.next);
  }

  /** Makes a stored row the last one of its trace. */
  link(trace: TraceRecord, row: number, isEvaluation: boolean): void {
    if (isEvaluation) {
      if (trace.firstEvaluation === NO_ROW) trace.firstEvaluation = row;
      else this.#table.setInt(trace.lastEvaluation, INT.next, row);
      trace.lastEvaluation = row;
      trace.evaluationCount++;
    } else {
      if (trace.firstSpan === NO_ROW) trace.firstSpan = row;
      else this.#table.setInt(trace.lastSpan, INT.next, row);
      trace.lastSpan = row;
      trace.spanCount++;
    }
  }

  /** The chunk of a file that holds the span, as set by {@link setPlaceInFile}. */
  chunkOf(row: number): number {
    return this.#table.int(row, INT.chunk);
  }

  /** The position of the span in its chunk. */
  ordinalOf(row: number): number {
    return this.#table.int(row, INT.ordinal);
  }

  /** Records where a file holds the span. A new row keeps the values of an earlier one until this is called. */
  setPlaceInFile(row: number, chunk: number, ordinal: number): void {
    const { ints } = this.#table.page(row);
    const at = intsAt(row);
    ints[at + INT.chunk] = chunk;
    ints[at + INT.ordinal] = ordinal;
  }

  /** The hash of the span id within its trace. */
  id(row: number): Hash64 {
    return { lo: this.#table.int(row, INT.idLo), hi: this.#table.int(row, INT.idHi) };
  }

  /** Position by arrival in its trace. */
  arrival(row: number): number {
    return this.#table.int(row, INT.arrival);
  }

  /** Sets a flag that survives replacement, as it was when the span was stored before. */
  markAsWrapper(row: number): void {
    this.#table.setInt(row, INT.flags, this.flags(row) | FLAG.wrapper);
  }

  flags(row: number): number {
    return this.#table.int(row, INT.flags);
  }

  /** A number of the span; NaN if absent. */
  float(row: number, field: FloatField): number {
    return this.#table.float(row, field);
  }

  startNanos(row: number): number {
    return this.#table.int(row, INT.startNanos);
  }

  labels(row: number): SpanLabels {
    return this.#labels.get(this.#table.int(row, INT.labels));
  }

  /** True if its tokens, cost and call count: no other span repeats them (contract 6). */
  countsUsage(trace: TraceHead, row: number): boolean {
    const flags = this.flags(row);
    if ((flags & FLAG.countsUsage) === 0) return false;
    return (flags & FLAG.llm) === 0 || !this.#isWrapper(trace, row, flags);
  }

  isAbandoned(row: number, nowMs: number): boolean {
    return (
      (this.flags(row) & FLAG.running) !== 0 && nowMs - this.float(row, FLOAT.seenAtMs) >= ABANDONED_AFTER_MS
    );
  }

  /** Orders rows of one trace by start, ties by arrival. */
  compareStart(a: number, b: number): number {
    return (
      this.float(a, FLOAT.startEpochMs) - this.float(b, FLOAT.startEpochMs) ||
      this.startNanos(a) - this.startNanos(b) ||
      this.#table.int(a, INT.arrival) - this.#table.int(b, INT.arrival)
    );
  }

  /** Orders rows of one trace by arrival. */
  compareArrival(a: number, b: number): number {
    return this.#table.int(a, INT.arrival) - this.#table.int(b, INT.arrival);
  }

  digest(row: number): SpanDigest {
    return this.#bytes.digest(row);
  }

  /** The JSON of a span, valid until the store changes; see `holdForReading`. */
  slice(row: number): SpanSlice {
    return this.#bytes.slice(row);
  }

  /** The JSON of a span with the bytes around it; valid as long. */
  place(row: number): SpanPlace {
    return this.#bytes.place(row);
  }

  snapshot(row: number, tenant: string, nowMs: number): SpanSnapshot {
    const { service, env, version } = this.labels(row);
    const receivedAtMs = this.float(row, FLOAT.receivedAtMs);
    const flags = this.flags(row);
    return {
      slice: this.slice(row),
      context: { tenant, service, env, version, receivedAtMs },
      isAbandoned: this.isAbandoned(row, nowMs),
      isWrapper: isKnownWrapper(flags),
      computedCostUsd: (flags & FLAG.computedCost) === 0 ? undefined : this.float(row, FLOAT.costUsd),
    };
  }

  /** Sets the numbers of a span, except its id. */
  #describe(row: number, span: PipelineSpan, seenAtMs: number): void {
    const { ints, floats } = this.#table.page(row);
    const int = intsAt(row);
    const float = floatsAt(row);
    const { facts, context } = span;
    const { parent } = originOf(span).hashes;
    const flags = ((ints[int + INT.flags] as number) & LASTING_FLAGS) | flagsOf(facts, span.countsUsage);
    ints[int + INT.parentLo] = parent.lo;
    ints[int + INT.parentHi] = parent.hi;
    ints[int + INT.startNanos] = facts.start.nanos;
    ints[int + INT.flags] = flags;
    ints[int + INT.labels] = this.#labels.acquire(context, facts);
    floats[float + FLOAT.startEpochMs] = facts.start.epochMs;
    floats[float + FLOAT.durationMs] = facts.durationMs ?? Number.NaN;
    floats[float + FLOAT.receivedAtMs] = context.receivedAtMs;
    floats[float + FLOAT.seenAtMs] = seenAtMs;
    floats[float + FLOAT.tokensInput] = facts.tokensInput ?? Number.NaN;
    floats[float + FLOAT.tokensOutput] = facts.tokensOutput ?? Number.NaN;
    floats[float + FLOAT.costUsd] = facts.costUsd ?? Number.NaN;
    floats[float + FLOAT.ttftMs] = facts.ttftMs ?? Number.NaN;
  }

  #isWrapper(trace: TraceHead, row: number, flags: number): boolean {
    if ((flags & FLAG.wrapper) !== 0) return true;
    const { lo, hi } = this.id(row);
    if (trace.index !== undefined) return trace.index.hasCalls(lo, hi);
    const table = this.#table;
    for (let child = trace.firstSpan; child !== NO_ROW; child = this.next(child)) {
      const isOfRow = table.int(child, INT.parentLo) === lo && table.int(child, INT.parentHi) === hi;
      if (isOfRow && isChildCall(this.flags(child))) return true;
    }
    return false;
  }
}
