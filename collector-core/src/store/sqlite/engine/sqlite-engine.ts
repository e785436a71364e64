import type { StoredEvaluation, TraceKey, UnsavedReason } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { runAtOnce } from "../../../runtime/steps.js";
import type { Span } from "@obspan/sdk/wire";
import type { BatchContext } from "../../../span/span-facts.js";
import { SQL_CODES, SqlError } from "../driver/sqlite-driver.js";
import type { TraceFile } from "../open-trace-file.js";
import { readRecords } from "../records/batch-record.js";
import type { EngineHost, EngineUsage, StorageCommands, StorageEngine } from "../thread/storage-engine.js";
import { OpenStore, type StoreBounds } from "./open-store.js";

/** Spans after which a commit does not wait for the interval. */
const MAX_UNCOMMITTED_SPANS = 10_000;
/** Interval of sweeping, and of looking at the disk. */
const SWEEP_INTERVAL_MS = 1000;
/** After a write: bounds what a power loss costs. */
const CHECKPOINT_AFTER_MS = 5000;
/** Interval of trying to store again. */
const RETRY_INTERVAL_MS = 5000;

/** Options of {@link createSqliteEngine}. */
export interface SqliteEngineOptions extends StoreBounds {
  /** Opens the file. `replaced` is the file that turned out to be damaged, or that was cleared. */
  readonly openFile: (options: { readonly isKnownCorrupt: boolean }) => TraceFile;
  /** Deletes the closed file. */
  readonly deleteFile: (path: string) => void;
  /** `trace_store.commit_interval_ms`. */
  readonly commitIntervalMs: number;
  /** `trace_store.disk_min_free_bytes`: nothing is stored below. */
  readonly minFreeBytes: number;
  readonly freeBytes: () => number;
  readonly clock: Clock;
}

/** Stores traces in a file (storage.md). Runs in a thread of its own. */
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
  #checkpointAtMs = Number.POSITIVE_INFINITY;
  #nextSweepMs = 0;
  #isErasing = false;
  #diskBytes = 0;
  #oldestAtMs: number | null = null;
  #lateEvaluations = 0;
  readonly #selects = new Map<number, AsyncIterator<readonly TraceKey[]>>();
  #lastSelect = 0;

  constructor(options: SqliteEngineOptions, host: EngineHost) {
    this.#options = options;
    this.#host = host;
    this.#file = options.openFile({ isKnownCorrupt: false });
    this.#store = this.#openStore();
    if (this.#file.needsRebuild) {
      host.log("info", "Rebuilding the trace store from its chunks.", { path: this.#file.path });
      runAtOnce(this.#store.rebuild());
    }
    this.#measure();
    this.commands = this.#createCommands();
  }

  #openStore(): OpenStore {
    const { maxTraces, ttlSeconds, diskMaxBytes, maxSpansPerTrace, clock } = this.#options;
    return new OpenStore({
      file: this.#file,
      bounds: { maxTraces, ttlSeconds, diskMaxBytes, maxSpansPerTrace },
      clock,
      onEvicted: (reason, count) => (this.#evicted[reason] += count),
      onCorruptChunk: (chunk, error) =>
        this.#host.log("error", "A chunk of the trace store cannot be read. Its spans are left out.", {
          path: this.#file.path,
          chunk,
          error: String(error),
        }),
      onLost: (spans) => (this.#unsaved.corrupt_chunk += spans),
    });
  }

  append(records: Buffer): void {
    const spans = countSpans(records);
    if (this.#degraded !== undefined) {
      this.#unsaved[this.#degraded.cause] += spans;
      return;
    }
    if (this.#pendingSpans === 0) this.#pendingSinceMs = this.#nowMs();
    this.#pendingSpans += spans;
    this.#pendingBytes += records.length;
    this.#guard(() => this.#store.append(records));
    if (this.#pendingSpans >= MAX_UNCOMMITTED_SPANS) this.#guard(() => this.#commit());
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
    if (this.#degraded !== undefined) {
      if (nowMs >= this.#degraded.retryAtMs) this.#recover();
      return;
    }
    const isDue = nowMs - this.#pendingSinceMs >= this.#options.commitIntervalMs;
    if (this.#store.hasUncommitted && isDue) this.#guard(() => this.#commit());
    if (nowMs >= this.#checkpointAtMs) {
      this.#checkpointAtMs = Number.POSITIVE_INFINITY;
      this.#guard(() => this.#file.checkpoint("PASSIVE"));
    }
    if (nowMs < this.#nextSweepMs) return;
    this.#nextSweepMs = nowMs + SWEEP_INTERVAL_MS;
    this.#guard(() => this.#sweep());
  }

  #sweep(): void {
    this.#store.abandonSilent();
    // More steps follow with the next ticks.
    if (this.#store.retention.step()) this.#nextSweepMs = 0;
    this.#commit();
    if (this.#options.freeBytes() < this.#options.minFreeBytes)
      this.#degrade("disk_full", "Less than trace_store.disk_min_free_bytes is free on the disk.");
    this.#measure();
  }

  #commit(): void {
    this.#store.commit();
    this.#pendingSpans = 0;
    this.#pendingBytes = 0;
    this.#checkpointAtMs = Math.min(this.#checkpointAtMs, this.#nowMs() + CHECKPOINT_AFTER_MS);
    this.#measure();
    if (this.#isErasing) this.#finishErasing();
  }

  /** Removes erased text from the free pages and from the write-ahead log. */
  #finishErasing(): void {
    this.#isErasing = false;
    this.#store.retention.releasePages(Number.MAX_SAFE_INTEGER);
    this.#file.db.exec("PRAGMA secure_delete = FAST");
    this.#file.checkpoint("TRUNCATE");
  }

  #measure(): void {
    this.#diskBytes = this.#store.retention.fileBytes;
    this.#oldestAtMs = this.#store.oldestAtMs();
  }

  async close(): Promise<void> {
    if (this.#degraded === undefined) this.#guard(() => this.#commit());
    this.#file.close();
  }

  /** Runs work on the file. What fails is tried once more, then counted; nothing is thrown for a full or broken disk. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      if (error.code === SQL_CODES.CORRUPT || error.code === SQL_CODES.NOTADB) this.#startEmpty(error);
      else this.#retry(error);
    }
  }

  #retry(error: SqlError): void {
    const store = this.#store;
    try {
      store.rollback();
      if (error.code === SQL_CODES.FULL) store.evictOldest();
      this.#commit();
    } catch (again) {
      if (!(again instanceof SqlError)) throw again;
      const cause = again.code === SQL_CODES.FULL ? "disk_full" : "io_error";
      this.#giveUp(cause);
      this.#degrade(
        cause,
        cause === "disk_full" ? "The disk is full." : `The file cannot be written: ${again.message}.`,
      );
    }
  }

  /** Drops everything since the last commit. */
  #giveUp(cause: UnsavedReason): void {
    this.#unsaved[cause] += this.#pendingSpans;
    this.#pendingSpans = 0;
    this.#pendingBytes = 0;
    this.#store.rollback();
    this.#lateEvaluations += this.#store.lateEvaluations;
    this.#store = this.#openStore();
  }

  #degrade(cause: UnsavedReason, reason: string): void {
    if (this.#degraded === undefined)
      this.#host.log("error", `The trace store keeps no new spans. ${reason}`, { path: this.#file.path });
    this.#degraded = { cause, reason, retryAtMs: this.#nowMs() + RETRY_INTERVAL_MS };
  }

  /** Tries whether spans can be stored again. */
  #recover(): void {
    const degraded = this.#degraded;
    if (degraded === undefined) return;
    if (this.#options.freeBytes() < this.#options.minFreeBytes) {
      this.#degrade(degraded.cause, degraded.reason);
      return;
    }
    try {
      if (degraded.cause === "disk_full") this.#store.retention.step();
      this.#store.touchFile();
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      this.#store.rollback();
      this.#degrade(degraded.cause, degraded.reason);
      return;
    }
    this.#degraded = undefined;
    this.#measure();
    this.#host.log("info", "The trace store keeps spans again.", { path: this.#file.path });
  }

  /** The file is damaged: it is set aside, and the store starts empty. */
  #startEmpty(error: SqlError): void {
    this.#host.log(
      "error",
      "The file of the trace store is damaged. It is set aside, and the store starts empty.",
      {
        path: this.#file.path,
        error: error.message,
      },
    );
    this.#unsaved.corrupt_chunk += this.#pendingSpans;
    this.#pendingSpans = 0;
    this.#pendingBytes = 0;
    this.#lateEvaluations += this.#store.lateEvaluations;
    this.#file.close();
    this.#file = this.#options.openFile({ isKnownCorrupt: true });
    this.#store = this.#openStore();
    this.#measure();
  }

  #createCommands(): StorageCommands {
    const select = (id: number): AsyncIterator<readonly TraceKey[]> => {
      const found = this.#selects.get(id);
      if (found === undefined) throw new RangeError(`No select ${id}.`);
      return found;
    };
    return {
      flush: async () =>
        this.#guard(() => {
          this.#store.refresh();
          this.#commit();
        }),
      summaries: async (keys) => this.#read(() => keys.map((key) => this.#store.summaryOf(key))),
      openTrace: async (key) => this.#read(() => this.#store.readings.open(key)),
      readPage: (reading, order, from, signal) => this.#store.readings.page(reading, order, from, signal),
      closeTrace: async (reading) => this.#store.readings.close(reading),
      getSpan: async (key, spanId) => this.#read(() => this.#store.readings.span(key, spanId)),
      tenantsOf: async (traceId) => this.#read(() => this.#store.tenantsOf(traceId)),
      list: (query, signal) => this.#read(() => this.#store.queries.list(query, signal)),
      facets: (filter, signal) => this.#read(() => this.#store.queries.facets(filter, signal)),
      histogram: (query, signal) => this.#read(() => this.#store.queries.histogram(query, signal)),
      openSelect: async (filter, signal) => {
        const id = ++this.#lastSelect;
        this.#selects.set(id, this.#store.queries.select(filter, signal));
        return id;
      },
      selectPage: async (id) => {
        const page = await select(id).next();
        return page.done === true ? [] : page.value;
      },
      closeSelect: async (id) => {
        await this.#selects.get(id)?.return?.();
        this.#selects.delete(id);
      },
      remove: async (key) => this.#read(() => this.#remove(key)),
      clear: async () => this.#clear(),
      evaluations: async (after, limit) => this.#read(() => this.#evaluations(after, limit)),
    };
  }

  /** Reads from the file. If it is damaged, the store starts empty, and the question is answered by that. */
  #read<Result>(question: () => Result): Result {
    try {
      return question();
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      this.#guard(() => {
        throw error;
      });
      return question();
    }
  }

  #remove(key: TraceKey): boolean {
    this.#store.refresh();
    const sequence = this.#store.tables.find(key);
    if (sequence === undefined) return false;
    this.#commit();
    this.#file.db.exec("PRAGMA secure_delete = ON");
    this.#store.erase(sequence);
    this.#evicted.cleared++;
    this.#isErasing = true;
    return true;
  }

  #clear(): number {
    this.#store.refresh();
    const { traceCount } = this.#store;
    const { path } = this.#file;
    this.#lateEvaluations += this.#store.lateEvaluations;
    this.#file.close();
    this.#options.deleteFile(path);
    this.#file = this.#options.openFile({ isKnownCorrupt: false });
    this.#store = this.#openStore();
    this.#selects.clear();
    this.#pendingSpans = 0;
    this.#pendingBytes = 0;
    this.#evicted.cleared += traceCount;
    this.#measure();
    return traceCount;
  }

  #evaluations(after: number, limit: number): StoredEvaluation[] {
    this.#store.flush();
    return this.#file.db
      .prepare("SELECT seq, json FROM evaluation WHERE seq > ? ORDER BY seq LIMIT ?")
      .all(after, limit)
      .map(({ seq, json }) => {
        const kept = JSON.parse(String(json)) as { span: Span; context: BatchContext };
        return { sequence: Number(seq), span: kept.span, context: kept.context };
      });
  }

  #nowMs(): number {
    return this.#options.clock.monotonic();
  }
}

function countSpans(records: Buffer): number {
  let spans = 0;
  for (const { spanCount } of readRecords(records)) spans += spanCount;
  return spans;
}
