import type { TraceSummary } from "../../../api-schema/trace.js";
import type { ClosedStep, TraceKey } from "../../../interfaces.js";
import { ListCursors } from "../../traces/list-cursor.js";
import { encodeCounts } from "../file/file-counts.js";
import { BufferLimit } from "./buffer-limit.js";
import type { ChunkPosition } from "./chunk-writer.js";
import { openRebuild } from "./open-rebuild.js";
import type { OpenStoreOptions } from "./open-store-options.js";
import type { PendingChanges } from "./query-sql.js";
import { Retention } from "./retention.js";
import { SilentTraces } from "./silent-traces.js";
import { SpanAppender } from "./span-appender.js";
import { SpanIndexer } from "./span-indexer.js";
import { writeStatsSteps } from "./stats-steps.js";
import { openStoreCore, type StoreCore } from "./store-core.js";
import { createStoreQuestions, type StoreQuestions } from "./store-questions.js";
import type { StoreRebuild } from "./store-rebuild.js";
import type { TextEraser } from "./text-eraser.js";
import { TraceRemover } from "./trace-remover.js";
import { TraceSummaries } from "./trace-summaries.js";

/**
 * The traces of an open file. After an error of SQLite it is closed, and another one continues from the last commit: so there is
 * one way to undo, whatever has failed.
 */
export class OpenStore {
  readonly readings: StoreQuestions["readings"];
  readonly queries: StoreQuestions["queries"];
  readonly sessions: StoreQuestions["sessions"];
  readonly evaluated: StoreQuestions["evaluated"];
  readonly retention: Retention;
  readonly #options: OpenStoreOptions;
  readonly #core: StoreCore;
  readonly #remover: TraceRemover;
  readonly #indexer: SpanIndexer;
  readonly #appender: SpanAppender;
  readonly #bufferLimit: BufferLimit;
  readonly #summaries: TraceSummaries;
  readonly #silent: SilentTraces;
  /** Until the tables are complete. */
  #rebuild: StoreRebuild | undefined;
  #cursors: ListCursors;
  #traceCount: number;
  #isClosed = false;
  #canWrite = true;

  constructor(options: OpenStoreOptions) {
    this.#options = options;
    const { bounds, usualBufferBytes } = options;
    const core = openStoreCore(options, (session, turn) => this.sessions.written(session, turn));
    this.#core = core;
    this.#cursors = new ListCursors(options.file.storeId);
    this.#traceCount = core.storedTraces;
    const flush = (): void => this.flush();
    const rebuild = (): StoreRebuild | undefined => this.#rebuild;

    this.#remover = new TraceRemover({ ...core, place: () => this.#indexer.place });
    this.retention = new Retention({
      ...core,
      releasePages: (pages) => options.file.releasePages(pages),
      bounds,
      remover: this.#remover,
      traceCount: () => this.#traceCount,
      onEvicted: (reason, traces) => {
        this.#traceCount -= traces;
        options.onEvicted(reason, traces);
      },
      flush,
      rebuiltSequence: () => this.#rebuild?.lastSequence,
    });
    const { retention } = this;
    this.#bufferLimit = new BufferLimit({
      ...core,
      maxBytes: bounds.maxBufferBytes,
      usualBytes: usualBufferBytes,
    });
    this.#indexer = new SpanIndexer({
      ...core,
      maxSpansPerTrace: bounds.maxSpansPerTrace,
      makeRoomForTrace: () => {
        if (this.#traceCount >= bounds.maxTraces) retention.makeRoomForTrace();
      },
      onTraceAdded: () => this.#traceCount++,
    });
    this.#appender = new SpanAppender({
      ...core,
      indexer: this.#indexer,
      retention,
      bufferLimit: this.#bufferLimit,
      rebuild,
      flush,
      onEvicted: options.onEvicted,
    });
    this.#summaries = new TraceSummaries({
      ...core,
      retention,
      abandonedMs: () => this.#silent.abandonedMs,
      onDamaged: (sequence) => options.onDamagedTrace(sequence, "summary", 0),
    });
    this.#silent = new SilentTraces({
      ...core,
      flush,
      repairSummary: (sequence) => this.#summaries.repaired(sequence) !== undefined,
      isRebuilding: () => this.#rebuild !== undefined,
    });
    ({
      readings: this.readings,
      queries: this.queries,
      sessions: this.sessions,
      evaluated: this.evaluated,
    } = createStoreQuestions(core, {
      summaries: this.#summaries,
      readings: options.readings,
      cursors: () => this.#cursors,
      pendingChanges: () => this.#pendingChanges,
      rebuild,
      refresh: () => this.refresh(),
      summaryOf: (key) => this.summaryOf(key),
      maxReadBytes: options.bounds.maxReadBytes,
    }));
    this.#rebuild = openRebuild({
      store: options,
      core,
      indexer: this.#indexer,
      remover: this.#remover,
      onGone: () => this.#traceCount--,
    });
  }

  /** Erases removed traces from the chunks. */
  get eraser(): TextEraser {
    return this.#core.eraser;
  }

  /** Store time. */
  get nowMs(): number {
    return this.#core.nowMs();
  }

  get traceCount(): number {
    return this.#traceCount;
  }

  /** Stored spans, as of the last flush. */
  get spanCount(): number {
    return this.#core.file.spanCount;
  }

  get bufferBytes(): number {
    return this.#core.buffer.bytes;
  }

  get lateEvaluations(): number {
    return this.#indexer.lateEvaluations;
  }

  get hasUncommitted(): boolean {
    return this.#core.file.hasUncommitted;
  }

  /** Where the spans end that were appended. */
  get position(): ChunkPosition {
    return this.#core.writer.position;
  }

  /** The records since the last commit, up to a position. */
  uncommitted(to?: ChunkPosition): Buffer[] {
    const { writer, file } = this.#core;
    return writer.between(file.committed, to);
  }

  /** Adds the spans of records, which are copied. */
  append(records: Buffer): void {
    this.#appender.append(records);
  }

  /** True if traces have to be left to the file: with the next {@link commit}. */
  get isBufferFull(): boolean {
    return this.#bufferLimit.isExceeded;
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

  get #pendingChanges(): PendingChanges {
    return { expiredMs: this.retention.expiredMs, abandonedMs: this.#silent.abandonedMs };
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
    return this.#silent.step();
  }

  /** Writes what changed, without committing it. */
  flush(): void {
    if (this.#isClosed) return;
    const { numberRepair, file } = this.#core;
    if (this.#canWrite) numberRepair.step();
    if (!file.hasUnflushed) return;
    file.flush();
    this.#silent.flushed();
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

  /** Commits everything, with no chunk open. */
  commitAllChunks(): void {
    const { writer, buffer } = this.#core;
    writer.close(buffer.traces.newestSequence);
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
    this.begin();
    writeStatsSteps(this.#core.db, steps);
  }

  /** Makes the next commit write to the file even if nothing has changed. */
  begin(): void {
    this.#core.file.begin();
  }

  commit(): void {
    if (this.#isClosed) return;
    this.flush();
    const { file, nowMs, clock, buffer, writer, evicted } = this.#core;
    file.commit({
      clock_ms: nowMs(),
      wall_ms: clock.now(),
      last_seq: buffer.traces.newestSequence,
      open_chunk: writer.openId,
      counts: encodeCounts({ traces: this.#traceCount, spans: file.spanCount, evicted: evicted.count }),
    });
    this.#options.rebuildState?.commit();
    if (this.isBufferFull) this.#bufferLimit.trim();
  }

  /** Undoes everything since the last commit. Queries under way go on, and write nothing any more. */
  rollback(): void {
    this.#isClosed = true;
    this.#core.file.rollback();
    this.#options.rebuildState?.rollBack();
  }

  /** The share of the chunks that a rebuild has indexed, from 0 to 1; null without one. */
  get rebuildProgress(): number | null {
    return this.#rebuild === undefined ? null : (this.#options.rebuildState?.progress ?? 0);
  }

  /** One step of the rebuild, without committing it. @returns false if it is complete, which has to be committed. */
  rebuildStep(): boolean {
    if (this.#rebuild === undefined || this.#isClosed) return false;
    if (this.#rebuild.step()) return true;
    const { file } = this.#options;
    this.begin();
    file.markRebuilt();
    this.#rebuild = undefined;
    this.#cursors = new ListCursors(file.storeId);
    return false;
  }
}
