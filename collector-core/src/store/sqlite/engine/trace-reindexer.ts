import type { SpanHasher } from "../../../hashing/span-hashes.js";
import type { Steps } from "../../../runtime/steps.js";
import { TraceValuesTable } from "../../traces/trace-values.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";
import type { ChunkReader } from "./chunk-reader.js";
import type { ChunkWriter } from "./chunk-writer.js";
import type { EvictedKeys } from "./evicted-keys.js";
import type { FileWriter } from "./file-writer.js";
import type { LeftOutTrace, RebuildRange } from "./rebuild-state.js";
import { replayRecords } from "./replay-records.js";
import { SpanIndexer, type ParsedRecord } from "./span-indexer.js";
import { chunksOf } from "./span-places.js";
import { TraceBuffer } from "./trace-buffer.js";
import type { TraceRemover } from "./trace-remover.js";
import type { StoredTraceRow, TraceTables } from "./trace-tables.js";

/** Chunks that are read at once before a trace is replaced, so that no span arrives meanwhile. */
const MAX_LAST_CHUNKS = 4;

/** Options of {@link TraceReindexer}. */
export interface TraceReindexerOptions {
  readonly db: SqlDatabase;
  readonly tables: TraceTables;
  readonly evicted: EvictedKeys;
  readonly remover: TraceRemover;
  readonly file: FileWriter;
  readonly writer: ChunkWriter;
  readonly reader: ChunkReader;
  readonly hasher: SpanHasher;
  /** Store time. */
  readonly nowMs: () => number;
  /** `trace_store.max_spans_per_trace`. */
  readonly maxSpansPerTrace: number;
  /** `trace_store.ttl_seconds`: 0 disables expiry. */
  readonly ttlSeconds: number;
  /** Called when the earlier part of a trace is expired. */
  readonly onExpired: () => void;
  /** Called when nothing is left of a trace. */
  readonly onGone: () => void;
}

/** Indexes single traces again from their chunks, in a buffer of its own, and replaces their rows. */
export class TraceReindexer {
  readonly #options: TraceReindexerOptions;
  readonly #buffer: TraceBuffer;
  readonly #values = new TraceValuesTable();
  readonly #indexer: SpanIndexer;
  readonly #lastMs: SqlStatement;

  constructor(options: TraceReindexerOptions) {
    this.#options = options;
    const { db, reader, hasher } = options;
    this.#lastMs = db.prepare("SELECT last_ms FROM chunk WHERE id = ?");
    this.#buffer = new TraceBuffer(reader, hasher);
    this.#indexer = new SpanIndexer({
      ...options,
      buffer: this.#buffer,
      tables: { find: () => undefined, read: () => undefined },
      file: { changed: () => undefined, addEvaluation: () => undefined },
      makeRoomForTrace: () => undefined,
      onTraceAdded: () => undefined,
    });
  }

  /** Reads the chunks of a trace in order, then replaces its row in one step. Spans that arrive meanwhile are read too. */
  *reindex(trace: LeftOutTrace, range: RebuildRange): Steps<void> {
    this.#drop(trace);
    let fromMs = 0;
    for (let done = 0; ;) {
      const row = this.#rowOf(trace);
      // It was evicted or removed.
      if (row === undefined) return;
      const chunks = this.#chunksOf(trace, row).filter((chunk) => chunk > done);
      const isLast = chunks.length <= MAX_LAST_CHUNKS;
      for (const chunk of chunks) {
        if (!isLast && chunk >= this.#options.writer.openId) break;
        fromMs = this.#add(trace, row, range, { chunk, fromMs });
        done = chunk;
        if (!isLast) yield;
      }
      if (!isLast) continue;
      this.#replace(trace, row);
      return;
    }
  }

  #rowOf({ key }: LeftOutTrace): StoredTraceRow | undefined {
    const { file, tables } = this.#options;
    file.flush();
    const sequence = tables.find(key);
    return sequence === undefined ? undefined : tables.read(sequence);
  }

  #chunksOf({ chunks }: LeftOutTrace, { places }: StoredTraceRow): number[] {
    return [...new Set([...chunks, ...places.staleChunks, ...chunksOf(places)])].sort((a, b) => a - b);
  }

  /** Adds the spans of a trace in a chunk. @returns the store time of the last record. */
  #add(
    trace: LeftOutTrace,
    row: StoredTraceRow,
    range: RebuildRange,
    { chunk: id, fromMs }: { readonly chunk: number; readonly fromMs: number },
  ): number {
    const { reader, nowMs, file } = this.#options;
    const chunk = reader.read(id);
    const closedMs = this.#lastMs.get(id)?.["last_ms"];
    const isClosed = id < this.#options.writer.openId && typeof closedMs === "number";
    const toMs = Math.max(fromMs, isClosed ? closedMs : nowMs());
    if (chunk === undefined) return toMs;
    file.begin();
    const isNew = id > range.lastChunk;
    const takeSequence = (): number => {
      if (!isNew) return trace.sequence ?? row.sequence;
      // Its earlier spans are gone: it begins with one that arrived after the start.
      return trace.newSequence ?? row.sequence;
    };
    replayRecords(chunk, { chunk: id, fromMs, toMs }, ({ record, spans }, place, atMs) => {
      const own = spans.map((span, index) =>
        span?.trace_id === trace.key.traceId && record.contextOf(index).tenant === trace.key.tenant
          ? span
          : null,
      );
      const parsed: ParsedRecord = { record, spans: own };
      const first = own.findIndex((span) => span !== null);
      if (first === -1) return;
      if (isNew) this.#expire(trace, row, { chunk: id, ordinal: place.ordinal + first }, atMs);
      this.#indexer.replay(parsed, place, {
        atMs,
        takeSequence,
        isLeftOut: () => false,
        leaveOut: () => undefined,
      });
    });
    return toMs;
  }

  /** Retention waits for the rebuild: what would have expired before a span arrived is evicted now. */
  #expire(
    { key, chunks }: LeftOutTrace,
    { places }: StoredTraceRow,
    before: { readonly chunk: number; readonly ordinal: number },
    atMs: number,
  ): void {
    const { ttlSeconds, evicted, hasher, nowMs, onExpired } = this.#options;
    const known = this.#buffer.get(key);
    if (ttlSeconds === 0 || known === undefined || atMs - known.lastSpanAtMs < ttlSeconds * 1000) return;
    this.#buffer.drop(known);
    const earlier = [...new Set([...chunks, ...places.staleChunks, ...chunksOf(places)])];
    evicted.add(hasher.trace(key.tenant, key.traceId), nowMs(), {
      before,
      chunks: earlier.filter((chunk) => chunk <= before.chunk).sort((a, b) => a - b),
    });
    onExpired();
  }

  #replace(trace: LeftOutTrace, row: StoredTraceRow): void {
    const { remover, file, onGone } = this.#options;
    const again: TraceRecord | undefined = this.#buffer.get(trace.key);
    file.begin();
    remover.removeRows(row);
    if (again === undefined) {
      onGone();
      return;
    }
    // The last span arrived after the start: its time is exact.
    again.lastSpanAtMs = Math.max(again.lastSpanAtMs, row.lastMs);
    file.writeTrace(again, { buffer: this.#buffer, values: this.#values });
    this.#buffer.drop(again);
  }

  /** Drops what an interrupted call has left. */
  #drop({ key }: LeftOutTrace): void {
    const left = this.#buffer.get(key);
    if (left !== undefined) this.#buffer.drop(left);
  }
}
