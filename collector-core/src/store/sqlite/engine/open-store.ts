import { hashNumber } from "../../../hashing/seeded-hash.js";
import { SpanHasher } from "../../../hashing/span-hashes.js";
import type { TraceSummary } from "../../../api-schema/trace.js";
import type { EvictionReason, TraceKey } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import type { Steps } from "../../../runtime/steps.js";
import { originOf, type PipelineSpan } from "../../../span/pipeline-span.js";
import { SpanCaps } from "../../memory/span-caps.js";
import { TraceWriter } from "../../memory/trace-writer.js";
import { ListCursors } from "../../traces/list-cursor.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import { summarizeTrace } from "../../traces/trace-summary.js";
import { readMeta } from "../file/meta.js";
import type { TraceFile } from "../open-trace-file.js";
import { readRecords, type BatchRecord } from "../records/batch-record.js";
import { bufferedSpan, type RecordedSpan } from "./buffered-span.js";
import { ChunkReader, recordedSpan } from "./chunk-reader.js";
import { ChunkWriter } from "./chunk-writer.js";
import { EvictedKeys } from "./evicted-keys.js";
import { FileWriter } from "./file-writer.js";
import { Retention, type RetentionBounds } from "./retention.js";
import type { SpanPlace } from "./span-places.js";
import { StoreClock } from "./store-clock.js";
import { TextQueries } from "./text-queries.js";
import { TraceBuffer } from "./trace-buffer.js";
import { TraceQueries } from "./trace-queries.js";
import { TraceReadings } from "./trace-readings.js";
import { TraceRemover } from "./trace-remover.js";
import { TraceTables } from "./trace-tables.js";
import { ValueSets } from "./value-sets.js";

/** Memory of the open traces, beyond which those without a recent span are left to the file. */
const MAX_BUFFER_BYTES = 32 * 2 ** 20;
/** Memory after that, so that it does not happen with every batch. */
const TRIMMED_BUFFER_BYTES = 24 * 2 ** 20;
/** Spans of a record that are written at once. */
const SPANS_PER_WRITE = 1000;
/** Silent traces that are abandoned at once. */
const TRACES_PER_SWEEP = 500;

/** Tables that {@link OpenStore.rebuild} fills. */
const DERIVED_TABLES = [
  "trace",
  "trace_detail",
  "value_set",
  "label",
  "value_set_label",
  "evaluation",
  "chunk_signature",
] as const;

/** Bounds of a durable trace store. */
export interface StoreBounds extends RetentionBounds {
  /** `trace_store.max_spans_per_trace`: the oldest spans of a trace are dropped beyond it. */
  readonly maxSpansPerTrace: number;
}

/** Options of {@link OpenStore}. */
export interface OpenStoreOptions {
  readonly file: TraceFile;
  readonly bounds: StoreBounds;
  readonly clock: Clock;
  readonly onEvicted: (reason: EvictionReason, count: number) => void;
  /** Called for a chunk that cannot be read. */
  readonly onCorruptChunk: (chunk: number, error: unknown) => void;
  /** Called for spans of such a chunk. */
  readonly onLost: (spans: number) => void;
}

/** The traces of an open file. */
export class OpenStore {
  readonly readings: TraceReadings;
  readonly queries: TraceQueries;
  readonly tables: TraceTables;
  readonly retention: Retention;
  readonly remover: TraceRemover;

  readonly #options: OpenStoreOptions;
  readonly #hasher: SpanHasher;
  readonly #time: StoreClock;
  readonly #writer: ChunkWriter;
  readonly #reader: ChunkReader;
  readonly #file: FileWriter;
  readonly #buffer: TraceBuffer;
  readonly #evicted: EvictedKeys;
  readonly #caps: SpanCaps;
  readonly #traceWriter: TraceWriter;
  /** The spans that are being written, and where the file has them. */
  #writing: { readonly chunk: number; readonly ordinals: number[]; readonly spans: RecordedSpan[] } = {
    chunk: 0,
    ordinals: [],
    spans: [],
  };
  /** Store time of the spans that a rebuild adds; undefined otherwise. */
  #replayedAtMs: number | undefined;
  /** The oldest trace, whose oldest span was read. */
  #oldest: { readonly sequence: number; readonly arrivedAtMs: number | null } = {
    sequence: 0,
    arrivedAtMs: null,
  };
  #traceCount: number;
  #nextAbandonedMs: number;
  #reportedDropped = 0;

  constructor(options: OpenStoreOptions) {
    this.#options = options;
    const { file, clock, bounds } = options;
    const { db, hashSeed, storeId } = file;
    const nowMs = (): number => this.#time.nowMs();
    this.#time = new StoreClock(clock, Number(readMeta(db, "clock_ms") ?? 0));
    this.#hasher = new SpanHasher(hashSeed);
    this.tables = new TraceTables(db, hashSeed);
    this.#evicted = new EvictedKeys(db);
    const valueSets = new ValueSets(db, hashSeed);

    this.#writer = new ChunkWriter(Number(readMeta(db, "open_chunk") ?? 1));
    const reader = new ChunkReader(db, this.#writer, options.onCorruptChunk);
    this.#reader = reader;
    this.#buffer = new TraceBuffer(reader, this.#hasher, options.onLost);
    const pending = reader.pending();
    this.#file = new FileWriter({
      db,
      buffer: this.#buffer,
      writer: this.#writer,
      reader,
      tables: this.tables,
      valueSets,
      nowMs,
      pendingBytes: pending.length,
    });
    this.#file.spanCount = Number(readMeta(db, "span_count") ?? 0);
    this.#traceCount = Number(db.prepare("SELECT count(*) AS traces FROM trace").get()?.["traces"]);
    this.#nextAbandonedMs = this.tables.nextAbandonedMs();
    this.#buffer.traces.continueAfter(Number(readMeta(db, "last_seq") ?? 0));
    for (const record of readRecords(pending)) this.#addToChunk(pending, record);

    this.remover = new TraceRemover({
      db,
      buffer: this.#buffer,
      tables: this.tables,
      evicted: this.#evicted,
      file: this.#file,
      writer: this.#writer,
      reader,
      hasher: this.#hasher,
      nowMs,
    });
    this.retention = new Retention({
      db,
      bounds,
      tables: this.tables,
      remover: this.remover,
      traceCount: () => this.#traceCount,
      onEvicted: (reason, traces) => {
        this.#traceCount -= traces;
        options.onEvicted(reason, traces);
      },
      nowMs,
    });
    this.#caps = new SpanCaps({
      spans: this.#buffer.spans,
      traces: this.#buffer.traces,
      maxSpansPerTrace: bounds.maxSpansPerTrace,
    });
    this.#traceWriter = this.#createTraceWriter();
    this.readings = new TraceReadings({
      file: this.#file,
      tables: this.tables,
      reader,
      hasher: this.#hasher,
      clock,
      nowMs,
      refresh: () => this.refresh(),
    });
    this.queries = new TraceQueries({
      db,
      tables: this.tables,
      valueSets,
      texts: new TextQueries({ db, tables: this.tables, writer: this.#writer, reader, clock }),
      cursors: new ListCursors(storeId),
      clock,
      refresh: () => this.refresh(),
      newestSequence: () => this.#buffer.traces.newestSequence,
    });
  }

  #createTraceWriter(): TraceWriter {
    const { traces, spans } = this.#buffer;
    return new TraceWriter({
      spans,
      clock: { monotonic: () => this.#replayedAtMs ?? this.#time.nowMs() },
      caps: this.#caps,
      room: {
        makeRoomForTrace: () => {
          if (this.#traceCount < this.#options.bounds.maxTraces) return;
          // The oldest traces are found in the file.
          this.#file.flush();
          this.retention.makeRoomForTrace();
        },
        makeRoomForBytes: () => undefined,
      },
      traces: {
        find: (key, hash) => traces.get(key, hash) ?? this.#load(key),
        wasEvicted: (hash) => this.#evicted.has(hash),
        create: (key, hash, isPartial, nowMs) => traces.create(key, hash, isPartial, nowMs),
        added: (trace) => {
          traces.add(trace);
          this.#traceCount++;
          this.#file.changed(trace);
        },
        charge: (bytes) => traces.charge(bytes),
        changed: (trace, nowMs) => {
          traces.touch(trace, nowMs);
          this.#file.changed(trace);
        },
      },
      onWritten: (trace, row, index) => this.#written(trace, row, index),
    });
  }

  get traceCount(): number {
    return this.#traceCount;
  }

  /** Stored spans, as of the last flush. */
  get spanCount(): number {
    return this.#file.spanCount;
  }

  get bufferBytes(): number {
    return this.#buffer.bytes;
  }

  get lateEvaluations(): number {
    return this.#traceWriter.lateEvaluations;
  }

  get hasUncommitted(): boolean {
    return this.#file.hasUncommitted;
  }

  /** Adds the spans of records, which are copied. */
  append(records: Buffer): void {
    for (const record of readRecords(records)) this.#index(record, this.#addToChunk(records, record));
    this.#reportDropped();
    if (this.#buffer.bytes > MAX_BUFFER_BYTES) this.#trimBuffer();
  }

  #addToChunk(records: Buffer, { start, end, spanCount }: BatchRecord): SpanPlace {
    const { newestSequence } = this.#buffer.traces;
    return this.#writer.add(records.subarray(start, end), spanCount, newestSequence, this.#time.nowMs());
  }

  /** Adds the spans of a record to their traces. */
  #index(record: BatchRecord, { chunk, ordinal }: SpanPlace): void {
    let batch: PipelineSpan[] = [];
    this.#writing = { chunk, ordinals: [], spans: [] };
    const write = (): void => {
      this.#traceWriter.write(batch, record.isImport);
      for (const span of batch) this.#touch(span, chunk);
      batch = [];
      this.#writing = { chunk, ordinals: [], spans: [] };
    };
    for (const [index, span] of record.parse().entries()) {
      if (span === null) continue;
      const recorded = recordedSpan(record, index, span);
      if (this.#replayedAtMs !== undefined && this.#isGone(recorded, this.#replayedAtMs)) continue;
      batch.push(bufferedSpan(recorded, this.#hasher));
      this.#writing.ordinals.push(ordinal + index);
      this.#writing.spans.push(recorded);
      if (batch.length === SPANS_PER_WRITE) write();
    }
    write();
  }

  /** True if the trace of a span of a chunk was evicted after the chunk was closed. */
  #isGone({ span, context }: RecordedSpan, closedAtMs: number): boolean {
    return this.#evicted.has(this.#hasher.trace(context.tenant, span.trace_id), closedAtMs);
  }

  /** Remembers that the chunk has a span of the trace, stored or not. */
  #touch(span: PipelineSpan, chunk: number): void {
    const { facts, context } = span;
    const key = { tenant: context.tenant, traceId: facts.traceId };
    const trace = this.#buffer.traces.get(key, originOf(span).hashes.trace);
    if (trace !== undefined) this.#buffer.touch(trace, chunk);
  }

  #written(trace: TraceRecord, row: number, index: number): void {
    const { chunk, ordinals, spans } = this.#writing;
    this.#buffer.spans.setPlaceInFile(row, chunk, ordinals[index] as number);
    const recorded = spans[index];
    if (recorded?.span.span_type !== "evaluation") return;
    const { span, context, generatedSpanId, labels } = recorded;
    this.#file.addEvaluation({
      traceHash: hashNumber(trace),
      endedMs: this.#time.nowMs(),
      json: JSON.stringify({
        span: generatedSpanId === undefined ? span : { ...span, span_id: generatedSpanId },
        context,
        labels,
      }),
    });
  }

  #load(key: TraceKey): TraceRecord | undefined {
    const sequence = this.tables.find(key);
    const row = sequence === undefined ? undefined : this.tables.read(sequence);
    return row && this.#buffer.load(row);
  }

  /** Leaves traces without a recent span to the file. */
  #trimBuffer(): void {
    this.commit();
    for (
      let trace = this.#buffer.traces.leastRecent;
      trace !== undefined;
      trace = this.#buffer.traces.leastRecent
    ) {
      if (this.#buffer.bytes <= TRIMMED_BUFFER_BYTES) return;
      this.#buffer.drop(trace);
    }
  }

  #reportDropped(): void {
    const dropped = this.#caps.dropped - this.#reportedDropped;
    if (dropped === 0) return;
    this.#reportedDropped += dropped;
    this.#options.onEvicted("span_cap", dropped);
  }

  /** Makes all spans visible to queries, and removes what is expired. */
  refresh(): void {
    this.flush();
    while (this.retention.evictExpired());
    this.abandonSilent();
  }

  /** Writes the traces again whose running spans had no update for too long. */
  abandonSilent(): void {
    const nowMs = this.#time.nowMs();
    while (nowMs >= this.#nextAbandonedMs) {
      for (const sequence of this.tables.abandonedAt(nowMs, TRACES_PER_SWEEP)) {
        const row = this.tables.read(sequence);
        if (row === undefined) continue;
        const { tenant, traceId } = row.key;
        const trace =
          this.#buffer.traces.get(row.key, this.#hasher.trace(tenant, traceId)) ?? this.#buffer.load(row);
        this.#file.changed(trace);
      }
      this.flush();
    }
  }

  /** Writes what changed, without committing it. */
  flush(): void {
    if (!this.#file.hasUnflushed) return;
    this.#file.flush();
    this.#nextAbandonedMs = this.tables.nextAbandonedMs();
  }

  /** The summary of a trace, also of one that changed since the last flush. */
  summaryOf(key: TraceKey): TraceSummary | undefined {
    while (this.retention.evictExpired());
    const trace = this.#buffer.traces.get(key, this.#hasher.trace(key.tenant, key.traceId));
    if (trace !== undefined) return summarizeTrace(trace, this.#buffer.spans, this.#time.nowMs());
    const sequence = this.tables.find(key);
    return sequence === undefined ? undefined : this.tables.summary(sequence);
  }

  /** Arrival of the oldest span of the oldest trace, by the wall clock; null without traces. */
  oldestAtMs(): number | null {
    const [sequence] = this.tables.oldest(1);
    if (sequence === undefined) return null;
    if (sequence !== this.#oldest.sequence)
      this.#oldest = { sequence, arrivedAtMs: this.readings.arrivalOf(sequence) };
    return this.#oldest.arrivedAtMs;
  }

  /** The tenants that have a trace of that id, newest trace first. */
  tenantsOf(traceId: string): string[] {
    this.refresh();
    return this.tables.ofEveryTenant(traceId).map(({ tenant }) => tenant);
  }

  /** Removes a trace for good. */
  erase(sequence: number): void {
    this.remover.erase(sequence);
    this.#traceCount--;
  }

  /** Writes to the file, to find out whether that is possible. */
  touchFile(): void {
    this.#file.begin();
    this.commit();
  }

  commit(): void {
    this.flush();
    this.#file.commit({
      clock_ms: this.#time.nowMs(),
      last_seq: this.#buffer.traces.newestSequence,
      open_chunk: this.#writer.openId,
      span_count: this.#file.spanCount,
    });
  }

  rollback(): void {
    this.#file.rollback();
    this.#evicted.recount();
  }

  /** Evicts the oldest traces after a {@link rollback}, without writing anything that was appended. */
  evictOldest(): boolean {
    const hasEvicted = this.retention.evictOldest();
    this.#file.commitTransaction();
    return hasEvicted;
  }

  /** Fills the tables that derive from the chunks, chunk by chunk. */
  *rebuild(): Steps<void> {
    const { file } = this.#options;
    const { db } = file;
    this.#file.begin();
    for (const table of DERIVED_TABLES) db.exec(`DELETE FROM ${table}`);
    db.exec("UPDATE chunk SET traces = 0");
    this.#evicted.recount();
    const ids = db.prepare("SELECT id, last_ms FROM chunk WHERE data IS NOT NULL ORDER BY id").all();
    for (const { id, last_ms: lastMs } of ids) {
      const chunk = this.#reader.read(Number(id));
      this.#replayedAtMs = Number(lastMs);
      for (const [at, record] of (chunk?.records ?? []).entries())
        this.#index(record, { chunk: Number(id), ordinal: chunk?.firstOrdinalOf(at) ?? 0 });
      if (chunk !== undefined) this.#file.putSignature(Number(id), chunk.raw);
      if (this.#buffer.bytes > MAX_BUFFER_BYTES) this.#trimBuffer();
      yield;
    }
    const open = this.#reader.read(this.#writer.openId);
    for (const [at, record] of (open?.records ?? []).entries())
      this.#index(record, { chunk: this.#writer.openId, ordinal: open?.firstOrdinalOf(at) ?? 0 });
    this.#replayedAtMs = undefined;
    this.#file.flush();
    this.#file.begin();
    file.markRebuilt();
    this.commit();
  }
}
