import { signatureOf } from "../records/chunk-signature.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";
import { readTraceFacts } from "../../traces/trace-facts.js";
import { ABANDONED } from "../../traces/summary-fields.js";
import { readState, summarizeTrace } from "../../traces/trace-summary.js";
import { TraceValuesTable } from "../../traces/trace-values.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import { ChangedTraces } from "./changed-traces.js";
import type { ChunkRows } from "./chunk-rows.js";
import type { ChunkReader } from "./chunk-reader.js";
import type { ChunkPosition, ChunkWriter, ClosedChunk } from "./chunk-writer.js";
import { EvaluationRows, type PendingEvaluation } from "./evaluation-rows.js";
import type { PendingRows } from "./pending-rows.js";
import { chunksOf, encodePlaces } from "./span-places.js";
import type { TraceBuffer } from "./trace-buffer.js";
import { encodeState } from "./trace-state.js";
import { prepareAll, type RunningTraceRow, type TraceTables } from "./trace-tables.js";
import type { ValueSets } from "./value-sets.js";

const SQL = {
  putSignature: "INSERT OR REPLACE INTO chunk_signature (id, bits) VALUES (?, ?)",
  removeSignature: "DELETE FROM chunk_signature WHERE id = ?",
  // Not `OR REPLACE`, which writes the index as well.
  setMeta:
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value " +
    "WHERE value IS NOT excluded.value",
} as const;

/** Options of {@link FileWriter}. */
export interface FileWriterOptions {
  readonly db: SqlDatabase;
  readonly buffer: TraceBuffer;
  readonly writer: ChunkWriter;
  readonly reader: ChunkReader;
  readonly tables: TraceTables;
  readonly valueSets: ValueSets;
  readonly chunkRows: ChunkRows;
  readonly pendingRows: PendingRows;
  /** Store time. */
  readonly nowMs: () => number;
  /** The end of the records that the file has. */
  readonly pending: ChunkPosition;
  /** Spans of all traces in the file. */
  readonly spanCount: number;
  /** True if chunks do not count their traces yet. */
  readonly needsRebuild: boolean;
}

/**
 * Writes what changed into the file. {@link flush} makes it visible to queries, {@link commit} makes it last. After an error it
 * is of no more use: what it knows of the file no longer holds. The records since the last commit are in the chunk writer.
 */
export class FileWriter {
  readonly #options: FileWriterOptions;
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  readonly #values = new TraceValuesTable();
  #isInTransaction = false;
  /** Changed since the last flush. */
  readonly #changed = new ChangedTraces();
  readonly #evaluationRows: EvaluationRows;
  #evaluations: PendingEvaluation[] = [];
  #flushedChunks = 0;
  /** The end of the records that were written, and of those that were committed. */
  #written: ChunkPosition;
  #committed: ChunkPosition;
  /** Chunks and value sets that may be unused after the next flush. */
  readonly #chunksToCheck = new Set<number>();
  readonly #setsToCheck = new Set<number>();
  /** By how much the number of traces of each chunk has changed since the last flush. */
  readonly #traceDeltas = new Map<number, number>();
  /** Chunks that are being read. They are removed when the last reader ends. */
  readonly #readers = new Map<number, number>();
  /** Spans of all traces in the file. */
  spanCount: number;

  constructor(options: FileWriterOptions) {
    this.#options = options;
    this.#statements = prepareAll(options.db, SQL);
    this.#evaluationRows = new EvaluationRows(options.db);
    this.#written = options.pending;
    this.#committed = options.pending;
    this.spanCount = options.spanCount;
    if (options.needsRebuild) return;
    // They were being read when the process ended.
    for (const id of options.chunkRows.unused()) this.#chunksToCheck.add(id);
  }

  /** The end of the records that were committed. */
  get committed(): ChunkPosition {
    return this.#committed;
  }

  /** Traces that changed since the last flush. */
  get changedTraces(): number {
    return this.#changed.size;
  }

  /** True if something waits for {@link commit}. */
  get hasUncommitted(): boolean {
    return this.#isInTransaction || this.hasUnflushed;
  }

  /** True if something waits for {@link flush}. */
  get hasUnflushed(): boolean {
    const { writer } = this.#options;
    return (
      this.#changed.size > 0 ||
      this.#flushedChunks < writer.closed.length ||
      this.#written.chunk !== writer.openId ||
      this.#written.bytes < writer.position.bytes ||
      this.#evaluations.length > 0 ||
      this.#traceDeltas.size > 0 ||
      this.#chunksToCheck.size > 0 ||
      this.#setsToCheck.size > 0
    );
  }

  /** Records that a trace of the buffer changed. */
  changed(trace: TraceRecord): void {
    this.#changed.add(trace);
  }

  addEvaluation(evaluation: PendingEvaluation): void {
    this.#evaluations.push(evaluation);
  }

  /** Starts a transaction, unless there is one. */
  begin(): void {
    if (this.#isInTransaction) return;
    this.#options.db.exec("BEGIN IMMEDIATE");
    this.#isInTransaction = true;
  }

  /** Writes some of the traces that changed, if many wait, so that no flush is a long step. Called after each append. */
  flushQuiet(): void {
    const quiet = this.#changed.takeQuiet();
    if (quiet.length === 0) return;
    this.begin();
    for (const trace of quiet) if (!trace.isRemoved) this.writeTrace(trace);
  }

  /** Writes everything that changed, without committing it. */
  flush(): void {
    if (!this.hasUnflushed) return;
    this.begin();
    for (const trace of this.#changed) if (!trace.isRemoved) this.writeTrace(trace);
    this.#changed.clear();
    // After the traces, so that the row of a chunk is written once, with their number.
    this.#writeChunks();
    this.#writeCounts();
    this.#evaluationRows.add(this.#evaluations);
    this.#evaluations = [];
    this.#removeUnused();
  }

  /** Makes everything last. */
  commit(meta: Readonly<Record<string, number | string>>): void {
    this.flush();
    if (!this.#isInTransaction) return;
    for (const [key, value] of Object.entries(meta)) this.#statements.setMeta.run(key, value);
    this.#options.db.exec("COMMIT");
    this.#isInTransaction = false;
    this.#options.writer.dropClosed();
    this.#flushedChunks = 0;
    this.#committed = this.#written;
  }

  /** Undoes the transaction. The writer cannot be used afterwards. */
  rollback(): void {
    if (!this.#isInTransaction) return;
    this.#isInTransaction = false;
    try {
      this.#options.db.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself, as it does after some errors.
    }
  }

  #writeChunks(): void {
    const { writer, chunkRows, pendingRows } = this.#options;
    const closed = writer.closed.slice(this.#flushedChunks);
    for (const chunk of closed) this.#writeChunk(chunk);
    this.#flushedChunks += closed.length;
    const { raw, spans } = writer.open;
    if (writer.openId !== this.#written.chunk) {
      if (this.#written.bytes > 0) pendingRows.clear();
      this.#written = { chunk: writer.openId, bytes: 0 };
    }
    if (raw.length > this.#written.bytes) {
      chunkRows.open(writer.openId);
      pendingRows.add(raw.subarray(this.#written.bytes), spans);
      this.#written = writer.position;
    }
  }

  #writeChunk(chunk: ClosedChunk): void {
    const { id, signature } = chunk;
    this.#options.chunkRows.put(chunk, this.#traceDeltas.get(id) ?? 0);
    this.#traceDeltas.delete(id);
    this.#statements.putSignature.run(id, signature);
    // None of its spans may have been stored.
    this.#chunksToCheck.add(id);
  }

  putSignature(id: number, raw: Buffer): void {
    this.#statements.putSignature.run(id, signatureOf(raw));
  }

  /** Sets the newest trace of the time when a chunk was closed. */
  setLastSequence(id: number, lastSequence: number): void {
    this.#options.chunkRows.setLastSequence(id, lastSequence);
  }

  /** Replaces the records of a closed chunk. */
  rewriteChunk(id: number, raw: Buffer): void {
    this.begin();
    this.#options.chunkRows.rewrite(id, raw);
    this.putSignature(id, raw);
    this.#options.reader.invalidate(id);
  }

  /** Writes the row of a trace. @param source - where the trace is, if not in the buffer of the store. */
  writeTrace(
    trace: TraceRecord,
    source?: { readonly buffer: TraceBuffer; readonly values: TraceValuesTable },
  ): void {
    const { tables, valueSets, nowMs } = this.#options;
    const { buffer, values } = source ?? { buffer: this.#options.buffer, values: this.#values };
    const { spans, stored } = buffer;
    const before = stored.get(trace);
    const now = nowMs();
    const state = readState(trace, spans, now);
    const facts = readTraceFacts(trace, spans, values, now, state);
    const places = buffer.placesOf(trace);
    const live = chunksOf(places);
    const valueSet = valueSets.idOf(facts.values);
    tables.write(
      {
        sequence: trace.sequence,
        key: trace,
        valueSet,
        facts,
        summary: summarizeTrace(trace, spans, now, state),
        lastMs: trace.lastSpanAtMs,
        state: encodeState(trace),
        places: encodePlaces(places),
      },
      before,
    );
    for (const chunk of live) if (before?.chunks.has(chunk) !== true) add(this.#traceDeltas, chunk, 1);
    if (before !== undefined) {
      for (const chunk of before.chunks) if (!live.has(chunk)) add(this.#traceDeltas, chunk, -1);
      if (before.valueSet !== valueSet) this.#setsToCheck.add(before.valueSet);
    }
    const count = trace.spanCount + trace.evaluationCount;
    this.spanCount += count - (before?.spans ?? 0);
    const { sessionId, userId } = trace;
    stored.set(trace, { valueSet, chunks: live, spans: count, sessionId, userId });
  }

  /** Writes that a running trace, which is not in the buffer, is abandoned. */
  abandon(row: RunningTraceRow, summary: NonNullable<RunningTraceRow["summary"]>): void {
    const { tables, valueSets } = this.#options;
    this.begin();
    const valueSet = valueSets.idWithStatus(row.valueSet, ABANDONED) ?? row.valueSet;
    tables.abandon(row, summary, valueSet);
    this.#setsToCheck.add(row.valueSet);
  }

  /** A trace of these chunks was removed from the file. */
  removedFrom(chunks: Iterable<number>): void {
    for (const chunk of chunks) add(this.#traceDeltas, chunk, -1);
  }

  /** Adds to the number of traces of chunks. */
  #writeCounts(): void {
    for (const [chunk, delta] of this.#traceDeltas) {
      if (delta !== 0) this.#options.chunkRows.addTraces(chunk, delta);
      if (delta < 0) this.#chunksToCheck.add(chunk);
    }
    this.#traceDeltas.clear();
  }

  /**
   * The traces of a chunk are counted from 0 on, from the next flush on. As long as the count comes out the same, the row of the
   * chunk is not written.
   *
   * @param traces - what the file has.
   */
  countAgain(id: number, traces: number): void {
    add(this.#traceDeltas, id, -traces);
  }

  /** The chunk may have no stored span. */
  checkChunk(id: number): void {
    this.#chunksToCheck.add(id);
  }

  /** The value set lost a trace. */
  checkValueSet(id: number): void {
    this.#setsToCheck.add(id);
  }

  #removeUnused(): void {
    const { writer, reader, valueSets, chunkRows } = this.#options;
    for (const id of this.#chunksToCheck) {
      if (id === writer.openId || this.#readers.has(id)) continue;
      if (!chunkRows.isUnused(id)) continue;
      chunkRows.remove(id);
      this.#statements.removeSignature.run(id);
      reader.invalidate(id);
    }
    this.#chunksToCheck.clear();
    valueSets.removeUnused(this.#setsToCheck);
    this.#setsToCheck.clear();
  }

  /** Keeps chunks in the file until they are released, even if no trace has them any more. */
  holdChunks(chunks: Iterable<number>): void {
    for (const chunk of chunks) add(this.#readers, chunk, 1);
  }

  releaseChunks(chunks: Iterable<number>): void {
    for (const chunk of chunks) {
      const readers = (this.#readers.get(chunk) ?? 1) - 1;
      if (readers > 0) this.#readers.set(chunk, readers);
      else {
        this.#readers.delete(chunk);
        this.#chunksToCheck.add(chunk);
      }
    }
  }
}

function add(counts: Map<number, number>, key: number, delta: number): void {
  counts.set(key, (counts.get(key) ?? 0) + delta);
}
