import type { ClosedStep, StoredEvaluation, TraceKey, UnsavedReason } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { runAtOnce } from "../../../runtime/steps.js";
import type { ApiError } from "../../../api-schema/errors.js";
import { describeError } from "../../../runtime/describe-error.js";
import { SQL_CODES, SqlError } from "../driver/sqlite-driver.js";
import type { TraceFile } from "../open-trace-file.js";
import { diskBytesOf } from "../file/file-sizes.js";
import { readRecords } from "../records/batch-record.js";
import { storeUnavailable } from "../store-unavailable.js";
import type { EngineHost, EngineUsage, StorageCommands, StorageEngine } from "../thread/storage-engine.js";
import { OpenReadings } from "./open-readings.js";
import { OpenStore, type StoreBounds } from "./open-store.js";
import { allStatsSteps, readStatsSteps } from "./stats-steps.js";
import { StoreTasks } from "./store-tasks.js";
import { TraceRemoval } from "./trace-removal.js";

/** Spans after which a commit does not wait for the interval. */
const MAX_UNCOMMITTED_SPANS = 10_000;
/** The same for the bytes of records, which are in memory until they are committed. */
const MAX_UNCOMMITTED_BYTES = 16 * 2 ** 20;
/** Interval of sweeping, and of looking at the disk. */
const SWEEP_INTERVAL_MS = 1000;
/** After a write: bounds what a power loss costs. */
const CHECKPOINT_AFTER_MS = 5000;
/** Interval of trying to store again. */
const RETRY_INTERVAL_MS = 5000;

/** Damaged parts of traces that are logged and counted. */
const MAX_LOGGED_DAMAGES = 10_000;
/** What is logged of a damaged part of a trace. */
const DAMAGES = {
  summary:
    "The summary of a trace in the trace store is damaged. It is computed again from the spans, if they can be read.",
  state: "The state of a trace in the trace store is damaged. What it had of dropped spans is left out.",
  places: "The list of the spans of a trace in the trace store is damaged. These spans are left out.",
} as const;

/** Options of {@link createSqliteEngine}. */
export interface SqliteEngineOptions extends StoreBounds {
  /** Opens the file, or an empty one in place of a damaged one. */
  readonly openFile: (options: { readonly isKnownCorrupt: boolean }) => TraceFile;
  /** Deletes the closed file. */
  readonly deleteFile: (path: string) => void;
  /** `trace_store.commit_interval_ms`. */
  readonly commitIntervalMs: number;
  /** `trace_store.disk_min_free_bytes`: nothing is stored below. */
  readonly minFreeBytes: number;
  readonly freeBytes: () => number;
  /** See `BufferLimit`. */
  readonly usualBufferBytes?: (() => number) | undefined;
  readonly clock: Clock;
}

/** Stores traces in a file. Runs in a thread of its own. */
export function createSqliteEngine(options: SqliteEngineOptions, host: EngineHost): StorageEngine {
  return new SqliteEngine(options, host);
}

/** What cannot be stored. */
interface Degradation {
  readonly cause: UnsavedReason;
  readonly reason: string;
  readonly retryAtMs: number;
}

class SqliteEngine implements StorageEngine {
  readonly commands: StorageCommands;
  readonly #options: SqliteEngineOptions;
  readonly #host: EngineHost;
  #file: TraceFile;
  #store: OpenStore;
  readonly #evicted: Record<keyof EngineUsage["evicted"], number> = {
    max_traces: 0,
    max_bytes: 0,
    disk_max_bytes: 0,
    ttl: 0,
    pruned: 0,
    span_cap: 0,
    cleared: 0,
  };
  readonly #unsaved: Record<UnsavedReason, number> = {
    disk_full: 0,
    io_error: 0,
    thread_died: 0,
    corrupt_chunk: 0,
  };
  #degraded: Degradation | undefined;
  /** Appended since the last commit. */
  #pendingSpans = 0;
  #pendingBytes = 0;
  #pendingSinceMs = 0;
  #lastCommitMs = 0;
  #checkpointAtMs = Number.POSITIVE_INFINITY;
  #nextSweepMs = 0;
  #isRebuilt = false;
  #diskBytes = 0;
  #oldestAtMs: number | null = null;
  /** Of the stores before this one. */
  #lateEvaluations = 0;
  /** The counts of the last commit. */
  #committed = { evicted: { ...this.#evicted }, lateEvaluations: 0 };
  readonly #corruptChunks = new Set<number>();
  readonly #damagedTraces = new Set<string>();
  readonly #readings = new OpenReadings();
  readonly #selects = new Map<number, AsyncIterator<readonly TraceKey[]>>();
  #lastSelect = 0;
  readonly #tasks: StoreTasks;
  readonly #removal: TraceRemoval;

  constructor(options: SqliteEngineOptions, host: EngineHost) {
    this.#options = options;
    this.#host = host;
    this.#removal = new TraceRemoval({
      open: () => ({ file: this.#file, store: this.#store }),
      read: (work) => this.#read(work),
      commit: () => this.#commit(),
      onRemoved: (traces) => (this.#evicted.cleared += traces),
      clock: options.clock,
    });
    this.#file = options.openFile({ isKnownCorrupt: false });
    try {
      this.#store = this.#openStore();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#store = this.#openEmpty(error);
    }
    this.#measure();
    this.#tasks = new StoreTasks({
      open: () => ({ file: this.#file, store: this.#store }),
      commit: () => this.#guard(() => this.#commit()),
      guard: (work) => this.#guard(work),
      isDiskShort: () => this.#isDiskShort(),
      clock: options.clock,
    });
    this.commands = this.#createCommands();
  }

  /** Opens the traces of the file, as of the last commit. */
  #openStore(): OpenStore {
    const { clock, usualBufferBytes, ...bounds } = this.#options;
    const { path, needsRebuild } = this.#file;
    const store = new OpenStore({
      file: this.#file,
      bounds,
      clock,
      usualBufferBytes,
      readings: this.#readings,
      onEvicted: (reason, count) => (this.#evicted[reason] += count),
      onCorruptChunk: (chunk, spans, error) => this.#onCorruptChunk(chunk, spans, error),
      onDamagedTrace: (sequence, part, spans) => this.#onDamagedTrace(sequence, part, spans),
    });
    if (needsRebuild && !this.#isRebuilt) {
      this.#host.log("info", "Rebuilding the trace store from its chunks.", { path });
      runAtOnce(store.rebuild());
      this.#isRebuilt = true;
    }
    return store;
  }

  #onCorruptChunk(chunk: number, spans: number, error: unknown): void {
    if (this.#corruptChunks.has(chunk)) return;
    this.#corruptChunks.add(chunk);
    this.#unsaved.corrupt_chunk += spans;
    const message = "A chunk of the trace store cannot be read. Its spans are left out.";
    this.#host.log("error", message, { path: this.#file.path, chunk, spans, error: describeError(error) });
  }

  #onDamagedTrace(sequence: number, part: keyof typeof DAMAGES, spans: number): void {
    const damage = `${part} ${sequence}`;
    if (this.#damagedTraces.has(damage) || this.#damagedTraces.size >= MAX_LOGGED_DAMAGES) return;
    this.#damagedTraces.add(damage);
    this.#unsaved.corrupt_chunk += spans;
    this.#host.log("error", DAMAGES[part], { path: this.#file.path, trace: sequence, spans });
  }

  append(records: Buffer): void {
    const spans = countSpans(records);
    if (this.#degraded !== undefined) {
      this.#unsaved[this.#degraded.cause] += spans;
      return;
    }
    if (this.#pendingSpans === 0) this.#pendingSinceMs = this.#nowMs();
    const store = this.#store;
    const before = store.position;
    this.#pendingSpans += spans;
    this.#pendingBytes += records.length;
    try {
      store.append(records);
    } catch (error) {
      const applied = store.uncommitted(before);
      if (error instanceof SqlError) {
        this.#repeat(error, [...applied, records]);
        return;
      }
      // Spans that cannot be applied: the caller counts them.
      this.#pendingSpans -= spans;
      this.#pendingBytes -= records.length;
      this.#repeat(error, applied);
      throw error;
    }
    if (this.#mustCommit(store)) this.#guard(() => this.#commit());
  }

  /** Appends that follow each other at once leave no time for a tick: the interval holds for them too. */
  #mustCommit(store: OpenStore): boolean {
    return (
      this.#pendingSpans >= MAX_UNCOMMITTED_SPANS ||
      this.#pendingBytes >= MAX_UNCOMMITTED_BYTES ||
      this.#isCommitDue() ||
      store.isBufferFull
    );
  }

  /** A span is committed within the interval, so the commit begins as much earlier as the last one took. */
  #isCommitDue(): boolean {
    const { commitIntervalMs } = this.#options;
    const waitMs = commitIntervalMs - Math.min(this.#lastCommitMs, commitIntervalMs / 2);
    return this.#nowMs() - this.#pendingSinceMs >= waitMs;
  }

  get isBusy(): boolean {
    return this.#pendingBytes > 0 || this.#removal.isPending || this.#nextSweepMs === 0;
  }

  usage(): EngineUsage {
    return {
      traces: this.#store.traceCount,
      spans: this.#store.spanCount,
      memoryBytes: this.#store.bufferBytes,
      diskBytes: this.#diskBytes,
      pendingBytes: this.#pendingBytes,
      pendingSpans: this.#pendingSpans,
      lateEvaluations: this.#lateEvaluations + this.#store.lateEvaluations,
      evicted: { ...this.#evicted },
      unsaved: { ...this.#unsaved },
      state: this.#degraded === undefined ? "ok" : "degraded",
      reason: this.#degraded?.reason ?? null,
      oldestAtMs: this.#oldestAtMs,
    };
  }

  tick(): void {
    const nowMs = this.#nowMs();
    this.#tasks.tick();
    if (this.#degraded !== undefined) {
      if (nowMs >= this.#degraded.retryAtMs) this.#recover();
      return;
    }
    if (this.#store.hasUncommitted && this.#isCommitDue()) this.#guard(() => this.#commit());
    if (nowMs >= this.#checkpointAtMs) {
      this.#checkpointAtMs = Number.POSITIVE_INFINITY;
      this.#guard(() => this.#file.checkpoint("PASSIVE"));
    }
    this.#guard(() => this.#removal.tick());
    if (nowMs < this.#nextSweepMs) return;
    this.#nextSweepMs = nowMs + SWEEP_INTERVAL_MS;
    this.#guard(() => this.#sweep());
  }

  #sweep(): void {
    const hasMore = [this.#store.abandonSilent(), this.#store.retention.step()];
    // More steps follow with the next ticks.
    if (hasMore.includes(true)) this.#nextSweepMs = 0;
    this.#commit();
    if (this.#isDiskShort())
      this.#degrade("disk_full", "Less than trace_store.disk_min_free_bytes is free on the disk.");
    this.#measure();
  }

  #commit(): void {
    const startedAtMs = this.#nowMs();
    this.#store.commit();
    this.#lastCommitMs = this.#nowMs() - startedAtMs;
    this.#rememberCounts();
    this.#pendingSpans = 0;
    this.#pendingBytes = 0;
    this.#checkpointAtMs = Math.min(this.#checkpointAtMs, this.#nowMs() + CHECKPOINT_AFTER_MS);
    this.#measure();
  }

  #rememberCounts(): void {
    const lateEvaluations = this.#lateEvaluations + this.#store.lateEvaluations;
    this.#committed = { evicted: { ...this.#evicted }, lateEvaluations };
  }

  #isDiskShort(): boolean {
    return this.#options.freeBytes() < this.#options.minFreeBytes;
  }

  #measure(): void {
    this.#diskBytes = diskBytesOf(this.#file.path);
    this.#oldestAtMs = this.#store.oldestAtMs();
  }

  async close(): Promise<void> {
    this.#tasks.stop();
    this.#removal.stop();
    if (this.#degraded === undefined) this.#guard(() => this.#commit());
    this.#file.close();
  }

  /**
   * Runs work on the file. What fails is repeated once, then counted; nothing is thrown for a full or broken disk.
   *
   * @returns false if the work failed.
   */
  #guard(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      this.#repeat(error, this.#store.uncommitted());
      return false;
    }
  }

  /** Returns to the last commit and adds the records since then again, to an empty file if this one is damaged. */
  #repeat(error: unknown, records: readonly Buffer[]): void {
    try {
      if (isDamage(error)) this.#store = this.#openEmpty(error);
      else this.#rollBack();
      if (isFull(error)) this.#makeRoom();
      for (const each of records) this.#store.append(each);
      this.#commit();
    } catch (again) {
      this.#giveUp(again);
    }
  }

  #rollBack(): void {
    this.#store.rollback();
    Object.assign(this.#evicted, this.#committed.evicted);
    this.#lateEvaluations = this.#committed.lateEvaluations;
    this.#store = this.#openStore();
  }

  /** Evicts the oldest traces on a full disk. */
  #makeRoom(): void {
    // The place of what was copied into the file is used again.
    this.#file.checkpoint("PASSIVE");
    this.#store.retention.evictOldest();
    this.#commit();
  }

  /** Drops everything since the last commit. */
  #giveUp(error: unknown): void {
    const cause = isFull(error) ? "disk_full" : "io_error";
    this.#unsaved[cause] += this.#pendingSpans;
    this.#pendingSpans = 0;
    this.#pendingBytes = 0;
    const reason =
      cause === "disk_full" ? "The disk is full." : `The file cannot be written: ${describeError(error)}.`;
    this.#degrade(cause, reason);
    try {
      this.#rollBack();
      this.#store.stopWriting();
    } catch {
      // It is opened again with the next attempt to store spans.
      this.#closeFile();
    }
  }

  #degrade(cause: UnsavedReason, reason: string): void {
    if (this.#degraded === undefined)
      this.#host.log("error", `The trace store keeps no new spans. ${reason}`, { path: this.#file.path });
    this.#degraded = { cause, reason, retryAtMs: this.#nowMs() + RETRY_INTERVAL_MS };
    this.#store.stopWriting();
  }

  /** Tries whether spans can be stored again. */
  #recover(): void {
    const degraded = this.#degraded;
    if (degraded === undefined) return;
    if (this.#isDiskShort()) {
      this.#degrade(degraded.cause, degraded.reason);
      return;
    }
    try {
      if (!this.#file.isOpen) this.#openFile(false);
      this.#store.continueWriting();
      if (degraded.cause === "disk_full") this.#store.retention.step();
      this.#store.touchFile();
    } catch (error) {
      this.#giveUp(error);
      return;
    }
    this.#degraded = undefined;
    this.#measure();
    this.#host.log("info", "The trace store keeps spans again.", { path: this.#file.path });
  }

  /** Sets the damaged file aside. */
  #openEmpty(error: unknown): OpenStore {
    this.#host.log(
      "error",
      "The file of the trace store is damaged. It is set aside, and the store starts empty.",
      { path: this.#file.path, error: describeError(error) },
    );
    this.#closeFile();
    this.#lateEvaluations = this.#committed.lateEvaluations;
    this.#openFile(true);
    return this.#store;
  }

  /** Opens the file again, or an empty one. Whoever reads from the earlier one finds nothing more. */
  #openFile(isKnownCorrupt: boolean): void {
    this.#readings.clear();
    this.#selects.clear();
    this.#corruptChunks.clear();
    this.#damagedTraces.clear();
    this.#file = this.#options.openFile({ isKnownCorrupt });
    this.#isRebuilt = false;
    this.#removal.opened();
    this.#store = this.#openStore();
    this.#rememberCounts();
    this.#measure();
  }

  #closeFile(): void {
    try {
      this.#file.close();
    } catch {
      // A damaged file may not be closed properly. It is not used any more.
    }
  }

  #createCommands(): StorageCommands {
    return {
      flush: async () => {
        if (this.#degraded !== undefined) return;
        this.#guard(() => {
          this.#store.refresh();
          this.#commit();
        });
      },
      summaries: (keys) => this.#read(() => keys.map((key) => this.#store.summaryOf(key))),
      openTrace: (key) => this.#read(() => this.#store.readings.open(key)),
      readPage: (reading, order, from, signal) =>
        this.#read(() => this.#store.readings.page(reading, order, from, signal)),
      closeTrace: async (reading) => this.#store.readings.close(reading),
      getSpan: (key, spanId) => this.#read(() => this.#store.readings.span(key, spanId)),
      tenantsOf: (traceId) => this.#read(() => this.#store.tenantsOf(traceId)),
      list: (query, signal) => this.#read(() => this.#store.queries.list(query, signal)),
      facets: (filter, signal) => this.#read(() => this.#store.queries.facets(filter, signal)),
      histogram: (query, signal) => this.#read(() => this.#store.queries.histogram(query, signal)),
      openSelect: async (filter, signal) => {
        const id = ++this.#lastSelect;
        this.#selects.set(id, this.#store.queries.select(filter, signal));
        return id;
      },
      selectPage: (id) => this.#selectPage(id),
      closeSelect: async (id) => {
        await this.#selects.get(id)?.return?.();
        this.#selects.delete(id);
      },
      remove: (key) => this.#removal.remove(key),
      clear: () => this.#read(() => this.#clear()),
      evaluations: (after, limit) => this.#read(() => this.#evaluations(after, limit)),
      putStatsSteps: async (steps) => this.#putStatsSteps(steps),
      statsSteps: (resolutionSeconds, beforeSeconds) =>
        this.#read(() => readStatsSteps(this.#file.db, resolutionSeconds, beforeSeconds)),
      info: (signal) => this.#tasks.info(signal),
      compact: (signal) => this.#tasks.compact(signal),
      verify: (signal) => this.#tasks.verify(signal),
      prune: (olderThanSeconds, signal) => this.#tasks.prune(olderThanSeconds, signal),
      openBackup: () => this.#tasks.openBackup(),
      readBackup: (backup) => this.#tasks.readBackup(backup),
      closeBackup: (backup) => this.#tasks.closeBackup(backup),
    };
  }

  /** Answers a question. After an error of SQLite it is asked once more: the file may be another one then. */
  async #read<Result>(question: () => Result | Promise<Result>): Promise<Result> {
    const store = this.#store;
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      const isDegraded = this.#degraded !== undefined;
      if (store === this.#store && (!isDegraded || isDamage(error)))
        this.#repeat(error, this.#store.uncommitted());
    }
    try {
      return await question();
    } catch (error) {
      throw error instanceof SqlError ? unavailable(error) : error;
    }
  }

  async #selectPage(id: number): Promise<readonly TraceKey[]> {
    const found = this.#selects.get(id);
    // The traces were cleared.
    if (found === undefined) return [];
    try {
      const page = await found.next();
      return page.done === true ? [] : page.value;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      if (!this.#selects.has(id)) return [];
      throw unavailable(error);
    }
  }

  #clear(): number {
    this.#store.refresh();
    const { traceCount } = this.#store;
    const { path } = this.#file;
    // The statistics outlive the traces, in the file as in memory.
    const steps = allStatsSteps(this.#file.db);
    this.#lateEvaluations += this.#store.lateEvaluations;
    this.#closeFile();
    this.#pendingSpans = 0;
    this.#pendingBytes = 0;
    this.#evicted.cleared += traceCount;
    try {
      this.#options.deleteFile(path);
      this.#openFile(false);
    } catch (error) {
      this.#giveUp(error);
      throw unavailable(error);
    }
    this.#putStatsSteps(steps);
    return traceCount;
  }

  #evaluations(after: number, limit: number): StoredEvaluation[] {
    this.#store.flush();
    return this.#file.db
      .prepare("SELECT seq, json FROM evaluation WHERE seq > ? ORDER BY seq LIMIT ?")
      .all(after, limit)
      .map(({ seq, json }) => {
        const kept = JSON.parse(String(json)) as Omit<StoredEvaluation, "sequence">;
        return { sequence: Number(seq), span: kept.span, context: kept.context, labels: kept.labels };
      });
  }

  #putStatsSteps(steps: readonly ClosedStep[]): boolean {
    if (this.#degraded !== undefined) return false;
    return this.#guard(() => {
      this.#store.putStatsSteps(steps);
      this.#commit();
    });
  }

  #nowMs(): number {
    return this.#options.clock.monotonic();
  }
}

/** True for an error that the content of the file caused. */
function isDamage(error: unknown): error is SqlError {
  return error instanceof SqlError && (error.code === SQL_CODES.CORRUPT || error.code === SQL_CODES.NOTADB);
}

function isFull(error: unknown): boolean {
  return error instanceof SqlError && error.code === SQL_CODES.FULL;
}

function unavailable(error: unknown): ApiError {
  return storeUnavailable(
    `The file of the trace store cannot be used: ${describeError(error)}. Try again later.`,
  );
}

function countSpans(records: Buffer): number {
  let spans = 0;
  for (const { spanCount } of readRecords(records)) spans += spanCount;
  return spans;
}
