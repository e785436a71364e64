import type { Clock } from "../../../runtime/clock.js";
import { SqlError } from "../driver/sqlite-driver.js";
import { fileSizes } from "../file/file-sizes.js";
import type { SpaceReserve } from "../file/space-reserve.js";
import type { TraceFile } from "../open-trace-file.js";
import { readRecords } from "../records/batch-record.js";
import type { EngineHost, EngineUsage, StorageCommands, StorageEngine } from "../thread/storage-engine.js";
import { BackgroundRebuild } from "./background-rebuild.js";
import { CurrentStore, type OpenedFile } from "./current-store.js";
import { DamageLog } from "./damage-log.js";
import { createEngineCommands, putStatsSteps } from "./engine-commands.js";
import { EngineCounts } from "./engine-counts.js";
import { FailureRecovery } from "./failure-recovery.js";
import type { StoreBounds } from "./open-store-options.js";
import { OpenStore } from "./open-store.js";
import { PendingSpans } from "./pending-spans.js";
import { DiskFullError } from "../../store-unavailable.js";
import { unavailable } from "./sql-failures.js";
import { allStatsSteps } from "./stats-steps.js";
import { StoreTasks } from "./store-tasks.js";
import { TraceRemoval } from "./trace-removal.js";

/** Interval of sweeping, and of looking at the disk. */
const SWEEP_INTERVAL_MS = 1000;
/** The reserve grows only if more than that remains free beyond the minimum. */
const RESERVE_STEP_BYTES = 32 * 2 ** 20;
/** After work of a tick that took longer, the other work waits for the next tick: a question does not wait for both. */
const LONG_WORK_MS = 4;
/** After a write: bounds what a power loss costs. */
const CHECKPOINT_AFTER_MS = 5000;

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
  /** Held while the disk has room. */
  readonly reserve: SpaceReserve;
  /** See `BufferLimit`. */
  readonly usualBufferBytes?: (() => number) | undefined;
  /** See `BackgroundRebuildOptions`. */
  readonly betweenSteps?: (() => Promise<void>) | undefined;
  readonly clock: Clock;
}

/** Stores traces in a file. Runs in a thread of its own. */
export function createSqliteEngine(options: SqliteEngineOptions, host: EngineHost): StorageEngine {
  return new SqliteEngine(options, host);
}

/** Appends and commits spans, and sweeps: evicts, marks silent traces, looks at the disk. */
class SqliteEngine implements StorageEngine {
  readonly commands: StorageCommands;
  readonly #options: SqliteEngineOptions;
  readonly #counts = new EngineCounts();
  readonly #damages: DamageLog;
  readonly #pending: PendingSpans;
  readonly #current: CurrentStore;
  readonly #recovery: FailureRecovery;
  readonly #tasks: StoreTasks;
  readonly #removal: TraceRemoval;
  readonly #rebuild: BackgroundRebuild;
  #checkpointAtMs = Number.POSITIVE_INFINITY;
  #nextSweepMs = 0;
  /** Work of the last tick waits for the next one. */
  #isLate = false;
  #diskBytes = 0;
  #oldestAtMs: number | null = null;

  constructor(options: SqliteEngineOptions, host: EngineHost) {
    this.#options = options;
    const { clock } = options;
    const commit = (): void => this.#commit();
    const isDiskShort = (): boolean => this.#isDiskShort();
    this.#pending = new PendingSpans(options);
    this.#damages = new DamageLog({
      host,
      onLost: (spans) => this.#counts.unsaved("corrupt_chunk", spans),
    });
    this.#removal = new TraceRemoval({
      open: () => this.#current,
      read: (work) => this.#recovery.read(work),
      commit,
      onRemoved: (traces) => this.#counts.evicted("cleared", traces),
      clock,
    });
    this.#current = new CurrentStore({
      openFile: options.openFile,
      openStore: (opened) => this.#openStore(opened),
      counts: this.#counts,
      onReplaced: () => this.#replaced(),
      host,
    });
    const current = this.#current;
    this.#removal.opened();
    this.#recovery = new FailureRecovery({
      current,
      counts: this.#counts,
      pending: this.#pending,
      commit,
      measure: () => this.#measure(),
      isDiskShort,
      clock,
      host,
    });
    const recovery = this.#recovery;
    this.#rebuild = new BackgroundRebuild({ ...options, current, recovery, commit, host });
    this.#tasks = new StoreTasks({
      open: () => current,
      rebuilt: () => this.#rebuild.done(),
      commit: () => recovery.guard(commit),
      guard: (work) => recovery.guard(work),
      reason: () => recovery.degraded?.reason ?? null,
      isDiskShort,
      clock,
    });
    this.#measure();
    this.#rebuild.tick();
    this.commands = createEngineCommands({
      current,
      recovery,
      tasks: this.#tasks,
      removal: this.#removal,
      commit,
      onDamagedEvaluation: (sequence) => this.#damages.onDamagedEvaluation(current.file.path, sequence),
      onDamagedStep: (startSeconds) => this.#onDamagedStep(startSeconds),
      clear: () => this.#clear(),
      releaseReserve: (error) =>
        (error instanceof DiskFullError || recovery.degraded?.cause === "disk_full") &&
        options.reserve.release(),
    });
  }

  /** Opens the traces of the file, as of the last commit. */
  #openStore(opened: OpenedFile): OpenStore {
    const { clock, usualBufferBytes, ...bounds } = this.#options;
    const { path } = opened.file;
    return new OpenStore({
      ...opened,
      bounds,
      clock,
      usualBufferBytes,
      onEvicted: (reason, count) => this.#counts.evicted(reason, count),
      onCorruptChunk: (chunk, spans, error) => this.#damages.onCorruptChunk(path, chunk, spans, error),
      onDamagedTrace: (sequence, part, spans) => this.#damages.onDamagedTrace(path, sequence, part, spans),
      onDamagedRow: (table, row) => this.#damages.onDamagedRow(path, table, row),
    });
  }

  #onDamagedStep(startSeconds: number): void {
    this.#damages.onDamagedRow(this.#current.file.path, "stats_step", startSeconds);
  }

  /** Another file is open. */
  #replaced(): void {
    this.#damages.clear();
    this.#removal.opened();
  }

  append(records: Buffer): void {
    const spans = countSpans(records);
    const pending = this.#pending;
    const { degraded } = this.#recovery;
    if (degraded !== undefined) {
      this.#counts.unsaved(degraded.cause, spans);
      return;
    }
    const { store } = this.#current;
    const before = store.position;
    pending.add(spans, records.length);
    try {
      store.append(records);
    } catch (error) {
      const applied = store.uncommitted(before);
      if (error instanceof SqlError) {
        this.#recovery.repeat(error, [...applied, records]);
        return;
      }
      // Spans that cannot be applied: the caller counts them.
      pending.remove(spans, records.length);
      this.#recovery.repeat(error, applied);
      throw error;
    }
    // Appends that follow each other at once leave no time for a tick: the interval holds for them too.
    if (pending.isMuch || pending.isDue || store.isBufferFull) this.#recovery.guard(() => this.#commit());
  }

  get isBusy(): boolean {
    return this.#pending.bytes > 0 || this.#removal.isPending || this.#nextSweepMs === 0 || this.#isLate;
  }

  usage(): EngineUsage {
    const { store } = this.#current;
    const { degraded } = this.#recovery;
    return {
      traces: store.traceCount,
      spans: store.spanCount,
      memoryBytes: store.bufferBytes,
      diskBytes: this.#diskBytes,
      pendingBytes: this.#pending.bytes,
      pendingSpans: this.#pending.spans,
      ...this.#counts.usage(store.lateEvaluations),
      state: degraded === undefined ? "ok" : "degraded",
      reason: degraded?.reason ?? null,
      oldestAtMs: this.#oldestAtMs,
      // Two digits: each change is sent to the main thread.
      rebuildProgress: store.rebuildProgress && Math.floor(store.rebuildProgress * 100) / 100,
    };
  }

  tick(): void {
    const nowMs = this.#options.clock.monotonic();
    const recovery = this.#recovery;
    this.#tasks.tick();
    if (recovery.degraded !== undefined) {
      recovery.tick();
      return;
    }
    this.#rebuild.tick();
    const wasLate = this.#isLate;
    this.#isLate = false;
    for (const work of this.#dueWork(nowMs)) {
      recovery.guard(work);
      if (wasLate || this.#options.clock.monotonic() - nowMs < LONG_WORK_MS) continue;
      this.#isLate = true;
      return;
    }
  }

  /** What is due, the most urgent first. */
  *#dueWork(nowMs: number): Generator<() => void> {
    if (this.#current.store.hasUncommitted && this.#pending.isDue) yield () => this.#commit();
    if (nowMs >= this.#checkpointAtMs) yield () => this.#checkpoint();
    yield () => this.#removal.tick();
    if (nowMs >= this.#nextSweepMs) yield () => this.#sweep(nowMs);
  }

  #checkpoint(): void {
    this.#checkpointAtMs = Number.POSITIVE_INFINITY;
    // A transaction under way would keep the log from being copied.
    if (this.#current.store.hasUncommitted) this.#commit();
    this.#current.file.checkpoint("PASSIVE");
    this.#checkpointAtMs = Number.POSITIVE_INFINITY;
  }

  #sweep(nowMs: number): void {
    this.#nextSweepMs = nowMs + SWEEP_INTERVAL_MS;
    this.#current.requireInPlace();
    const { store } = this.#current;
    const { freeBytes, reserve, minFreeBytes, clock } = this.#options;
    const startedAtMs = clock.monotonic();
    const hasMore = store.abandonSilent() || store.retention.step({ mayRelease: !this.#removal.isPending });
    // More steps follow with the next ticks.
    if (hasMore) this.#nextSweepMs = 0;
    if (hasMore || store.hasUncommitted) this.#commit();
    store.retention.took(clock.monotonic() - startedAtMs);
    this.#boundLog();
    if (this.#isDiskShort())
      this.#recovery.degrade("disk_full", "Less than trace_store.disk_min_free_bytes is free on the disk.");
    else if (freeBytes() - reserve.bytes > minFreeBytes + RESERVE_STEP_BYTES) reserve.grow();
    this.#measure();
  }

  /** A log that was large for a moment is copied into the file, so that no trace goes for it. */
  #boundLog(): void {
    const { file } = this.#current;
    const { fileBytes, logBytes } = fileSizes(file.path);
    const { reserve, diskMaxBytes } = this.#options;
    if (logBytes > 0 && fileBytes + logBytes + reserve.bytes > diskMaxBytes) file.checkpoint("TRUNCATE");
  }

  #commit(): void {
    const { clock } = this.#options;
    const { store } = this.#current;
    this.#current.requireInPlace();
    const startedAtMs = clock.monotonic();
    store.commit();
    this.#pending.commit(clock.monotonic() - startedAtMs);
    this.#counts.commit(store.lateEvaluations);
    this.#checkpointAtMs = Math.min(this.#checkpointAtMs, clock.monotonic() + CHECKPOINT_AFTER_MS);
    this.#measure();
  }

  #isDiskShort(): boolean {
    return this.#options.freeBytes() < this.#options.minFreeBytes;
  }

  #measure(): void {
    const { fileBytes, logBytes } = fileSizes(this.#current.file.path);
    this.#diskBytes = fileBytes + logBytes + this.#options.reserve.bytes;
    this.#oldestAtMs = this.#current.store.readings.oldestAtMs();
  }

  /** Removes all traces with their file. @returns their number. */
  #clear(): number {
    const current = this.#current;
    const { store, file } = current;
    store.refresh();
    const { traceCount } = store;
    // The statistics outlive the traces, in the file as in memory.
    const steps = allStatsSteps(file.db, (startSeconds) => this.#onDamagedStep(startSeconds));
    this.#counts.endStore(store.lateEvaluations);
    current.closeFile();
    this.#pending.clear();
    this.#counts.evicted("cleared", traceCount);
    try {
      this.#options.deleteFile(file.path);
      current.openFile(false);
      this.#measure();
      this.#recovery.retry();
    } catch (error) {
      this.#recovery.giveUp(error);
      throw unavailable(error);
    }
    putStatsSteps({ current, recovery: this.#recovery, commit: () => this.#commit() }, steps);
    return traceCount;
  }

  async close(): Promise<void> {
    this.#tasks.stop();
    this.#removal.stop();
    this.#rebuild.stop();
    if (this.#recovery.degraded === undefined)
      this.#recovery.guard(() => {
        // Writes the clocks even if nothing else has changed: the next start counts the time from then.
        this.#current.store.begin();
        this.#commit();
      });
    this.#current.file.close();
  }
}

function countSpans(records: Buffer): number {
  let spans = 0;
  for (const { spanCount } of readRecords(records)) spans += spanCount;
  return spans;
}
