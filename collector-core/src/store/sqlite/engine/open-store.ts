import { SpanHasher } from "../../../hashing/span-hashes.js";
import type { TraceSummary } from "../../../api-schema/trace.js";
import type { ClosedStep, TraceKey } from "../../../interfaces.js";
import { ListCursors } from "../../traces/list-cursor.js";
import { readMeta } from "../file/meta.js";
import { readRecords, type BatchRecord } from "../records/batch-record.js";
import { BufferLimit } from "./buffer-limit.js";
import { ChunkReader } from "./chunk-reader.js";
import { ChunkWriter, type ChunkPosition } from "./chunk-writer.js";
import { EvaluatedSpans } from "./evaluated-spans.js";
import { EvictedKeys } from "./evicted-keys.js";
import { FileWriter } from "./file-writer.js";
import { NumberRepair } from "./number-repair.js";
import { openChunk } from "./open-chunk.js";
import type { OpenStoreOptions } from "./open-store-options.js";
import { PendingRows } from "./pending-rows.js";
import type { PendingChanges } from "./query-sql.js";
import { Retention } from "./retention.js";
import { SpanIndexer, type ParsedRecord } from "./span-indexer.js";
import type { SpanPlace } from "./span-places.js";
import { writeStatsSteps } from "./stats-steps.js";
import { StoreClock } from "./store-clock.js";
import { StoreRebuild } from "./store-rebuild.js";
import { TextEraser } from "./text-eraser.js";
import { TextQueries } from "./text-queries.js";
import { TraceBuffer } from "./trace-buffer.js";
import { TraceQueries } from "./trace-queries.js";
import { TraceReindexer } from "./trace-reindexer.js";
import { TraceReadings } from "./trace-readings.js";
import { TraceRemover } from "./trace-remover.js";
import { TraceSummaries } from "./trace-summaries.js";
import { TraceTables, type RunningTraceRow, type StoredTraceRow } from "./trace-tables.js";
import { ValueSets } from "./value-sets.js";

/** The share of the limit that is left after the buffer was full, so that it is not full with every batch. */
const TRIMMED_SHARE = 0.75;
/** Silent traces that are abandoned in one step. */
const TRACES_PER_STEP = 250;

/**
 * The traces of an open file. After an error of SQLite it is closed, and another one continues from the last commit: so there is
 * one way to undo, whatever has failed.
 */
export class OpenStore {
  readonly readings: TraceReadings;
  readonly queries: TraceQueries;
  readonly evaluated: EvaluatedSpans;
  readonly tables: TraceTables;
  readonly retention: Retention;
  /** Erases removed traces from the chunks. */
  readonly eraser: TextEraser;

  readonly #options: OpenStoreOptions;
  readonly #hasher: SpanHasher;
  readonly #time: StoreClock;
  readonly #writer: ChunkWriter;
  readonly #reader: ChunkReader;
  readonly #file: FileWriter;
  readonly #buffer: TraceBuffer;
  readonly #evicted: EvictedKeys;
  readonly #remover: TraceRemover;
  readonly #indexer: SpanIndexer;
  readonly #bufferLimit: BufferLimit;
  readonly #numberRepair: NumberRepair;
  readonly #summaries: TraceSummaries;
  /** Until the tables are complete. */
  #rebuild: StoreRebuild | undefined;
  #cursors: ListCursors;
  #isClosed = false;
  #canWrite = true;
  /** The oldest trace, whose oldest span was read. */
  #oldest: { readonly sequence: number; readonly arrivedAtMs: number | null } = {
    sequence: 0,
    arrivedAtMs: null,
  };
  #traceCount: number;
  #nextAbandonedMs: number;
  #reportedDropped = 0;
  #reportedLate = 0;

  constructor(options: OpenStoreOptions) {
    this.#options = options;
    const { file, clock, bounds } = options;
    const { db, hashSeed } = file;
    this.#cursors = new ListCursors(file.storeId);
    const nowMs = (): number => this.#time.nowMs();
    const wallMs = readMeta(db, "wall_ms");
    this.#time = new StoreClock(clock, {
      storeMs: Number(readMeta(db, "clock_ms") ?? 0),
      ...(typeof wallMs === "number" && { wallMs }),
    });
    this.#hasher = new SpanHasher(hashSeed);
    this.tables = new TraceTables(db, {
      hashSeed,
      nowMs,
      onDamage: (sequence, part) => {
        const spans = part === "places" ? (this.tables.summary(sequence)?.span_count ?? 0) : 0;
        options.onDamagedTrace(sequence, part, spans);
        if (part === "numbers") this.#numberRepair.add(sequence);
      },
    });
    this.#evicted = new EvictedKeys(db);
    const valueSets = new ValueSets(db, hashSeed);

    this.#writer = new ChunkWriter(Number(readMeta(db, "open_chunk") ?? 1));
    const reader = new ChunkReader(db, this.#writer, options.onCorruptChunk);
    this.#reader = reader;
    this.#buffer = new TraceBuffer(reader, this.#hasher);
    this.#buffer.traces.continueAfter(Number(readMeta(db, "last_seq") ?? 0));
    const pendingRows = new PendingRows(db);
    const pending = openChunk(pendingRows, {
      writer: this.#writer,
      add: (records, record) => this.#addToChunk(records, record),
      newestSequence: this.#buffer.traces.newestSequence,
      onCorruptChunk: options.onCorruptChunk,
    });
    this.#file = new FileWriter({
      db,
      buffer: this.#buffer,
      writer: this.#writer,
      reader,
      tables: this.tables,
      valueSets,
      pendingRows,
      nowMs,
      pending,
      spanCount: Number(readMeta(db, "span_count") ?? 0),
      // Chunks do not count their traces yet.
      needsRebuild: file.needsRebuild,
    });
    this.#traceCount = Number(db.prepare("SELECT count(*) AS traces FROM trace").get()?.["traces"]);
    this.#nextAbandonedMs = this.tables.nextAbandonedMs();

    this.#numberRepair = new NumberRepair({
      buffer: this.#buffer,
      tables: this.tables,
      reader,
      file: this.#file,
    });
    this.eraser = new TextEraser({ db, file: this.#file, reader });
    this.#remover = new TraceRemover({
      db,
      buffer: this.#buffer,
      tables: this.tables,
      evicted: this.#evicted,
      file: this.#file,
      eraser: this.eraser,
      hasher: this.#hasher,
      nowMs,
      place: () => this.#indexer.place,
    });
    this.retention = new Retention({
      db,
      bounds,
      tables: this.tables,
      remover: this.#remover,
      traceCount: () => this.#traceCount,
      onEvicted: (reason, traces) => {
        this.#traceCount -= traces;
        options.onEvicted(reason, traces);
      },
      flush: () => this.flush(),
      nowMs,
      rebuiltSequence: () => this.#rebuild?.lastSequence,
    });
    this.#bufferLimit = new BufferLimit({
      maxBytes: bounds.maxBufferBytes,
      usualBytes: options.usualBufferBytes,
      nowMs,
    });
    this.#indexer = new SpanIndexer({
      buffer: this.#buffer,
      tables: this.tables,
      evicted: this.#evicted,
      file: this.#file,
      writer: this.#writer,
      hasher: this.#hasher,
      nowMs,
      maxSpansPerTrace: bounds.maxSpansPerTrace,
      makeRoomForTrace: () => {
        if (this.#traceCount >= bounds.maxTraces) this.retention.makeRoomForTrace();
      },
      onTraceAdded: () => this.#traceCount++,
    });
    this.#summaries = new TraceSummaries({
      buffer: this.#buffer,
      tables: this.tables,
      reader,
      file: this.#file,
      retention: this.retention,
      nowMs,
      abandonedMs: () => this.#pendingChanges().abandonedMs,
      onDamaged: (sequence) => options.onDamagedTrace(sequence, "summary", 0),
    });
    const find = (key: TraceKey): StoredTraceRow | undefined => {
      this.refresh();
      return this.#summaries.find(key);
    };
    this.readings = new TraceReadings({
      file: this.#file,
      readings: options.readings,
      tables: this.tables,
      reader,
      hasher: this.#hasher,
      clock,
      nowMs,
      find,
      summaryOf: (sequence) => this.#summaries.stored(sequence),
    });
    this.evaluated = new EvaluatedSpans({
      buffer: this.#buffer,
      reader,
      hasher: this.#hasher,
      clock,
      findBuffered: (key) => this.#summaries.findBuffered(key),
      find,
      summaryOf: (key) => this.summaryOf(key),
    });
    this.queries = new TraceQueries({
      db,
      tables: this.tables,
      valueSets,
      texts: new TextQueries({
        db,
        tables: this.tables,
        writer: this.#writer,
        reader,
        clock,
        unindexed: () => this.#rebuild?.unindexed,
      }),
      cursors: () => this.#cursors,
      clock,
      refresh: () => this.refresh(),
      pendingChanges: () => this.#pendingChanges(),
      summaryOf: (sequence) => this.#summaries.stored(sequence),
      newestSequence: () => this.#buffer.traces.newestSequence,
    });
    this.#rebuild = this.#openRebuild();
  }

  #openRebuild(): StoreRebuild | undefined {
    const { file, bounds, rebuildState: state, onEvicted, onCorruptChunk } = this.#options;
    if (state === undefined || !file.needsRebuild) return undefined;
    const parts = {
      db: file.db,
      buffer: this.#buffer,
      tables: this.tables,
      evicted: this.#evicted,
      remover: this.#remover,
      file: this.#file,
      writer: this.#writer,
      reader: this.#reader,
      hasher: this.#hasher,
      indexer: this.#indexer,
      eraser: this.eraser,
      nowMs: () => this.#time.nowMs(),
      onCorruptChunk,
    };
    const reindexer = new TraceReindexer({
      ...parts,
      ...bounds,
      onExpired: () => onEvicted("ttl", 1),
      onGone: () => this.#traceCount--,
    });
    return new StoreRebuild({ ...parts, state, reindexer });
  }

  /** Store time. */
  get nowMs(): number {
    return this.#time.nowMs();
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
    return this.#indexer.lateEvaluations - this.#reportedLate;
  }

  get hasUncommitted(): boolean {
    return this.#file.hasUncommitted;
  }

  /** Where the spans end that were appended. */
  get position(): ChunkPosition {
    return this.#writer.position;
  }

  /** The records since the last commit, up to a position. */
  uncommitted(to?: ChunkPosition): Buffer[] {
    return this.#writer.between(this.#file.committed, to);
  }

  /** Adds the spans of records, which are copied. */
  append(records: Buffer): void {
    this.retention.evictExpired();
    const parsed = Array.from(readRecords(records), (record) => ({ record, spans: record.parse() }));
    if (this.retention.expiredMs !== undefined) this.#evictExpiredOf(parsed);
    const reloaded = this.#indexer.addAll(parsed, (record) => this.#addToChunk(records, record));
    let added = 0;
    for (const { spans } of parsed) added += spans.length;
    this.#bufferLimit.noteAdded(added, reloaded);
    this.#reportDropped();
    this.#file.flushQuiet();
  }

  /** A span of an expired trace begins a new one. */
  #evictExpiredOf(parsed: readonly ParsedRecord[]): void {
    const { expiredMs = Number.NEGATIVE_INFINITY } = this.retention;
    const sequences = new Set<number>();
    for (const { record, spans } of parsed) {
      for (const [index, span] of spans.entries()) {
        if (span === null) continue;
        const key = { tenant: record.contextOf(index).tenant, traceId: span.trace_id };
        const trace = this.#buffer.get(key);
        const sequence = trace?.sequence ?? this.tables.find(key);
        if (sequence === undefined) continue;
        if (this.#rebuild !== undefined) {
          const lastMs = trace?.lastSpanAtMs ?? this.tables.lastMs(sequence) ?? expiredMs;
          if (lastMs > expiredMs || !this.#rebuild.isExpired(key, sequence)) continue;
        }
        sequences.add(sequence);
      }
    }
    if (sequences.size === 0) return;
    if (this.#rebuild !== undefined) this.flush();
    this.retention.evictExpiredOf([...sequences]);
  }

  #addToChunk(records: Buffer, { start, end, spanCount }: BatchRecord): SpanPlace {
    const { newestSequence } = this.#buffer.traces;
    return this.#writer.add(records.subarray(start, end), spanCount, newestSequence, this.#time.nowMs());
  }

  /** True if traces have to be left to the file: with the next {@link commit}. */
  get isBufferFull(): boolean {
    return this.#buffer.bytes > this.#bufferLimit.bytes;
  }

  /** Leaves traces without a recent span to the file. Everything must be committed. */
  #trimBuffer(): void {
    const maxBytes = this.#bufferLimit.bytes * TRIMMED_SHARE;
    const { traces } = this.#buffer;
    for (let trace = traces.leastRecent; trace !== undefined; trace = traces.leastRecent) {
      if (this.#buffer.bytes <= maxBytes) return;
      this.#buffer.drop(trace);
    }
  }

  #reportDropped(): void {
    const dropped = this.#indexer.dropped - this.#reportedDropped;
    if (dropped === 0) return;
    this.#reportedDropped += dropped;
    this.#options.onEvicted("span_cap", dropped);
  }

  /**
   * Makes all spans visible to queries. What the passing of time changes is written in steps: until then, queries regard the
   * pending changes.
   */
  refresh(): void {
    if (this.#isClosed) return;
    if (!this.#canWrite) {
      this.retention.checkExpired();
      return;
    }
    this.flush();
    this.retention.evictExpired();
    this.abandonSilent();
  }

  #pendingChanges(): PendingChanges {
    const nowMs = this.#time.nowMs();
    return {
      expiredMs: this.retention.expiredMs,
      abandonedMs: nowMs >= this.#nextAbandonedMs ? nowMs : undefined,
    };
  }

  /** Makes queries leave the file as it is, because it cannot be written. */
  stopWriting(): void {
    this.#canWrite = false;
  }

  continueWriting(): void {
    this.#canWrite = true;
  }

  /** Writes that running traces without an update for too long are abandoned, in one step. @returns true if there are more. */
  abandonSilent(): boolean {
    const nowMs = this.#time.nowMs();
    // During a rebuild, later spans of a trace may follow. Queries regard the time in any case.
    if (nowMs < this.#nextAbandonedMs || this.#rebuild !== undefined) return false;
    // What changed since the last flush may not be silent any more.
    this.flush();
    for (const row of this.tables.abandonedAt(nowMs, TRACES_PER_STEP)) {
      if (!row.isSound && this.#numberRepair.isWaiting(row.sequence)) continue;
      const trace = this.#buffer.get(row.key);
      if (trace === undefined && row.summary !== undefined) this.#file.abandon(row, row.summary);
      else if (trace !== undefined) this.#file.changed(trace);
      else this.#abandonDamaged(row);
    }
    this.flush();
    this.#nextAbandonedMs = this.tables.nextAbandonedMs();
    return nowMs >= this.#nextAbandonedMs;
  }

  /** The summary cannot be changed, only written again. */
  #abandonDamaged(row: RunningTraceRow): void {
    if (this.#summaries.repaired(row.sequence) === undefined) this.#file.abandon(row, []);
  }

  /** Writes what changed, without committing it. */
  flush(): void {
    if (this.#isClosed) return;
    if (this.#canWrite) this.#numberRepair.step();
    if (!this.#file.hasUnflushed) return;
    this.#file.flush();
    this.#nextAbandonedMs = this.tables.nextAbandonedMs();
  }

  /** The summary of a trace, also of one that changed since the last flush. */
  summaryOf(key: TraceKey): TraceSummary | undefined {
    if (this.#canWrite) this.retention.evictExpired();
    else this.retention.checkExpired();
    return this.#summaries.of(key);
  }

  /** The tenants that have a trace of that id, newest trace first. */
  tenantsOf(traceId: string): string[] {
    this.refresh();
    return this.#summaries.tenantsOf(traceId);
  }

  /** Arrival of the oldest span of the oldest trace, by the wall clock; null without traces. */
  oldestAtMs(): number | null {
    const [sequence] = this.tables.oldest(1);
    if (sequence === undefined) return null;
    if (sequence !== this.#oldest.sequence)
      this.#oldest = { sequence, arrivedAtMs: this.readings.arrivalOf(sequence) };
    return this.#oldest.arrivedAtMs;
  }

  /** Commits everything, with no chunk open. */
  commitAllChunks(): void {
    this.#writer.close(this.#buffer.traces.newestSequence);
    this.commit();
  }

  /** Removes a trace for good, without committing that. All chunks must be committed. @returns false if there is none. */
  remove(key: TraceKey): boolean {
    const rebuild = this.#rebuild;
    const others = rebuild && { chunks: rebuild.forget(key), range: rebuild.unindexed };
    const isRemoved = this.#remover.remove(key, others);
    if (isRemoved) this.#traceCount--;
    return isRemoved;
  }

  /** Writes steps of the statistics, without committing them. */
  putStatsSteps(steps: readonly ClosedStep[]): void {
    this.#file.begin();
    writeStatsSteps(this.#options.file.db, steps);
  }

  /** Makes the next commit write to the file even if nothing has changed. */
  begin(): void {
    this.#file.begin();
  }

  commit(): void {
    if (this.#isClosed) return;
    this.flush();
    this.#file.commit({
      clock_ms: this.#time.nowMs(),
      wall_ms: this.#options.clock.now(),
      last_seq: this.#buffer.traces.newestSequence,
      open_chunk: this.#writer.openId,
      span_count: this.#file.spanCount,
    });
    this.#options.rebuildState?.commit();
    if (this.isBufferFull) this.#trimBuffer();
  }

  /** Undoes everything since the last commit. Queries under way go on, and write nothing any more. */
  rollback(): void {
    this.#isClosed = true;
    this.#file.rollback();
    this.#options.rebuildState?.rollBack();
  }

  /** The share of the chunks that a rebuild has indexed, from 0 to 1; null without one. */
  get rebuildProgress(): number | null {
    return this.#rebuild === undefined ? null : (this.#options.rebuildState?.progress ?? 0);
  }

  /** One step of the rebuild, without committing it. @returns false if it is complete, which has to be committed. */
  rebuildStep(): boolean {
    const rebuild = this.#rebuild;
    if (rebuild === undefined || this.#isClosed) return false;
    const { dropped, lateEvaluations } = this.#indexer;
    const hasMore = rebuild.step();
    // They were counted when they were dropped.
    this.#reportedDropped += this.#indexer.dropped - dropped;
    this.#reportedLate += this.#indexer.lateEvaluations - lateEvaluations;
    if (hasMore) return true;
    const { file } = this.#options;
    this.#file.begin();
    file.markRebuilt();
    this.#rebuild = undefined;
    this.#cursors = new ListCursors(file.storeId);
    return false;
  }
}
