import type { TraceKey } from "../../../interfaces.js";
import type { Steps } from "../../../runtime/steps.js";
import { SqlError, type SqlDatabase, type SqlRow, type SqlStatement } from "../driver/sqlite-driver.js";
import type { ChunkReader, OnCorruptChunk } from "./chunk-reader.js";
import { CHUNK_NUMBERS, hasSoundChunkNumbers } from "./chunk-rows.js";
import type { ChunkWriter } from "./chunk-writer.js";
import type { FileWriter } from "./file-writer.js";
import type { LeftOutTrace, RebuildRange, RebuildState } from "./rebuild-state.js";
import { replayRecords } from "./replay-records.js";
import type { SpanIndexer } from "./span-indexer.js";
import { newestChunkIn } from "./span-places.js";
import type { TextEraser } from "./text-eraser.js";
import type { TraceBuffer } from "./trace-buffer.js";
import type { TraceReindexer } from "./trace-reindexer.js";
import type { TraceTables } from "./trace-tables.js";

/** Changed traces that are written in one step: some milliseconds. */
const MAX_CHANGED_TRACES = 250;

/** More spans than a file has. */
const MAX_SPANS = 2 ** 40;

const SQL = {
  range: "SELECT min(id) AS first, total(spans) AS spans FROM chunk WHERE data IS NOT NULL",
  next: `SELECT ${CHUNK_NUMBERS} FROM chunk WHERE id > ? AND id <= ? AND data IS NOT NULL ORDER BY id LIMIT 1`,
} as const;

/** Options of {@link StoreRebuild}. */
export interface StoreRebuildOptions {
  readonly db: SqlDatabase;
  readonly state: RebuildState;
  readonly file: FileWriter;
  readonly writer: ChunkWriter;
  readonly reader: ChunkReader;
  readonly buffer: TraceBuffer;
  readonly tables: TraceTables;
  readonly indexer: SpanIndexer;
  readonly eraser: TextEraser;
  readonly reindexer: TraceReindexer;
  readonly onCorruptChunk: OnCorruptChunk;
}

/**
 * Fills the tables that derive from the chunks, chunk by chunk, while spans are appended and queries answered. The chunks from
 * before the start are replayed in order. Traces that they create get the sequences before those of new traces. A trace that has
 * received spans since the start gets no earlier ones: it is left out, and indexed again at the end from all of its chunks.
 */
export class StoreRebuild {
  readonly #options: StoreRebuildOptions;
  readonly #range: RebuildRange;
  readonly #next: SqlStatement;
  #reindexing: Steps<void> | undefined;
  /** The last chunk from before the start may have been the open one. It is in the file from the first step on. */
  #isLastChunkWritten = false;
  /** The trace that was looked at last, and its sequence if it has spans since the start. */
  #last: { readonly key: TraceKey; readonly sequence: number | undefined } | undefined;

  constructor(options: StoreRebuildOptions) {
    this.#options = options;
    const { db, state, file, writer, buffer } = options;
    this.#next = db.prepare(SQL.next);
    this.#range = state.begin(() => this.#readRange());
    // Spans that arrive now go to later chunks.
    if (writer.openId <= this.#range.lastChunk) writer.close(buffer.traces.newestSequence);
    buffer.traces.continueAfter(this.#range.lastSequence);
    for (const { chunks } of state.leftOut()) file.holdChunks(chunks);
    if (state.position.chunk < this.#range.lastChunk) file.holdChunks([this.#range.lastChunk]);
  }

  #readRange(): RebuildRange {
    const { db, writer, buffer } = this.#options;
    const { first, spans } = db.prepare(SQL.range).get() ?? {};
    const { spans: openSpans, raw } = writer.open;
    const lastChunk = raw.length > 0 ? writer.openId : writer.openId - 1;
    return {
      firstChunk: typeof first === "number" ? first : lastChunk,
      lastChunk,
      // No more traces than spans, whatever the file says of its newest trace.
      lastSequence: Math.max(buffer.traces.newestSequence, Math.min(Number(spans), MAX_SPANS) + openSpans),
    };
  }

  /** Sequences of traces from before the start. */
  get lastSequence(): number {
    return this.#range.lastSequence;
  }

  /** The chunks that are not indexed yet. */
  get unindexed(): { readonly after: number; readonly upTo: number } {
    return { after: this.#options.state.position.chunk, upTo: this.#range.lastChunk };
  }

  /** One step of a few milliseconds, without committing it. @returns false if the rebuild is complete but for {@link finish}. */
  step(): boolean {
    const { file, state } = this.#options;
    this.#last = undefined;
    if (file.changedTraces >= MAX_CHANGED_TRACES) {
      file.flush();
      return true;
    }
    if (!this.#isLastChunkWritten) file.flush();
    this.#isLastChunkWritten = true;
    const { chunk } = state.position;
    if (chunk < this.#range.lastChunk) {
      const row = this.#next.get(chunk, this.#range.lastChunk);
      if (row === undefined) this.#endOfChunks();
      else this.#replay(row);
      return true;
    }
    this.#reindexing ??= this.#reindex();
    return this.#reindexing.next().done !== true;
  }

  /** Adds the spans of a chunk to their traces. */
  #replay(row: SqlRow): void {
    const { file, reader, state, indexer, onCorruptChunk } = this.#options;
    const id = Number(row["id"]);
    // The clock of the file may be wrong, and so may a damaged number be.
    const lastMs = hasSoundChunkNumbers(row) ? Number(row["last_ms"]) : 0;
    const toMs = Math.max(lastMs, state.position.closedMs);
    const chunk = reader.read(id);
    file.begin();
    if (chunk !== undefined) {
      try {
        replayRecords(chunk, { chunk: id, fromMs: state.position.closedMs, toMs }, (parsed, place, atMs) =>
          indexer.replay(parsed, place, {
            atMs,
            takeSequence: () => state.takeSequence() ?? this.#options.buffer.traces.takeSequence(),
            isLeftOut: (key) => this.#isErased(key, id) || this.#newSequenceOf(key) !== undefined,
            leaveOut: (key) => this.#leaveOutOf(key, id),
          }),
        );
      } catch (error) {
        if (error instanceof SqlError) throw error;
        onCorruptChunk(id, 0, error);
      }
      file.putSignature(id, chunk.raw);
      file.setLastSequence(id, state.position.sequence);
    }
    file.countAgain(id, Number(row["traces"]));
    file.checkChunk(id);
    state.moveTo(id, toMs);
    if (id === this.#range.lastChunk) file.releaseChunks([id]);
  }

  #endOfChunks(): void {
    const { file, state } = this.#options;
    const { lastChunk } = this.#range;
    state.moveTo(lastChunk, state.position.closedMs);
    file.releaseChunks([lastChunk]);
  }

  #isErased(key: TraceKey, chunk: number): boolean {
    return this.#options.eraser.covers(key, chunk);
  }

  /** Notes that a chunk has a span of a trace that is indexed again at the end. */
  #leaveOutOf(key: TraceKey, chunk: number): void {
    const sequence = this.#isErased(key, chunk) ? undefined : this.#newSequenceOf(key);
    if (sequence === undefined) return;
    const trace = this.#leaveOut(key, sequence);
    if (trace.chunks.at(-1) === chunk) return;
    trace.chunks.push(chunk);
    this.#options.file.holdChunks([chunk]);
  }

  /** The sequence of a trace that has received spans since the start; undefined for any other. */
  #newSequenceOf(key: TraceKey): number | undefined {
    const last = this.#last;
    if (last?.key.traceId === key.traceId && last.key.tenant === key.tenant) return last.sequence;
    const found = this.#findNew(key);
    this.#last = { key, sequence: found };
    return found;
  }

  #findNew(key: TraceKey): number | undefined {
    const { buffer, tables } = this.#options;
    const { lastChunk } = this.#range;
    const trace = buffer.get(key);
    if (trace !== undefined) return buffer.newestChunkOf(trace) > lastChunk ? trace.sequence : undefined;
    const found = tables.findPlaces(key);
    return found !== undefined && newestChunkIn(found.places) > lastChunk ? found.sequence : undefined;
  }

  /** Has a trace indexed again at the end. */
  #leaveOut(key: TraceKey, sequence: number): LeftOutTrace {
    const { state, buffer } = this.#options;
    const known = state.find(key);
    if (known !== undefined) return known;
    const isNew = sequence > this.#range.lastSequence;
    const trace: LeftOutTrace = {
      key,
      sequence: isNew ? state.takeSequence() : undefined,
      newSequence: isNew ? undefined : buffer.traces.takeSequence(),
      chunks: [],
    };
    state.add(trace);
    return trace;
  }

  /**
   * A span arrives of a trace that looks expired.
   *
   * @returns true if it is expired: its spans since the start are. Otherwise later ones from before the start may not be known yet,
   * and the trace is indexed again at the end.
   */
  isExpired(key: TraceKey, sequence: number): boolean {
    if (this.#findNew(key) !== undefined) return true;
    this.#leaveOut(key, sequence);
    return false;
  }

  /** The trace is removed. @returns the chunks with spans of it that were left out. */
  forget(key: TraceKey): readonly number[] {
    const { state, file } = this.#options;
    const chunks = state.remove(key)?.chunks ?? [];
    file.releaseChunks(chunks);
    return chunks;
  }

  *#reindex(): Steps<void> {
    const { state, reindexer, file } = this.#options;
    for (let trace = state.next; trace !== undefined; trace = state.next) {
      yield* reindexer.reindex(trace, this.#range);
      if (state.remove(trace.key) !== undefined) file.releaseChunks(trace.chunks);
      yield;
    }
  }
}
