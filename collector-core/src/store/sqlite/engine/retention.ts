import type { EvictionReason } from "../../../interfaces.js";
import type { SqlDatabase, SqlStatement } from "../driver/sqlite-driver.js";
import { diskShares } from "../file/disk-shares.js";
import { StepSize } from "./step-size.js";
import { prepareAll, type TraceTables } from "./trace-tables.js";
import type { TraceRemover } from "./trace-remover.js";

/** Bounds of a durable trace store. */
export interface RetentionBounds {
  /** `limits.max_traces`, if it is set: the oldest traces are evicted beyond it. */
  readonly maxTraces: number;
  /** `trace_store.ttl_seconds`: 0 disables expiry. */
  readonly ttlSeconds: number;
  /** `trace_store.disk_max_bytes`: the oldest traces are evicted beyond the share of the file, see `diskShares`. */
  readonly diskMaxBytes: number;
}

/** Traces evicted at once. Their index entries are on as many pages. */
const MIN_TRACES_PER_STEP = 50;
const MAX_TRACES_PER_STEP = 250;
/** Time of a step, with its commit. */
const STEP_MS = 8;
/** Traces evicted at once on a full disk at most, where one step must make room. */
const TRACES_ON_FULL_DISK = 500;
/** Share of the traces evicted at once on a full disk. */
const SHARE_ON_FULL_DISK = 0.25;
/** Free space returned to the file system at once. */
const MAX_RELEASED_BYTES = 2 ** 20;
/** Free space kept for new spans. Releasing a page takes time in proportion to all free pages. */
const MAX_FREE_BYTES = 2 ** 25;

const SQL = {
  pages: "SELECT page_count AS pages FROM pragma_page_count",
  freePages: "SELECT freelist_count AS pages FROM pragma_freelist_count",
  pageSize: "SELECT page_size AS bytes FROM pragma_page_size",
} as const;

/** Options of {@link Retention}. */
export interface RetentionOptions {
  readonly db: SqlDatabase;
  /** Returns free pages to the file system, outside a transaction. */
  readonly releasePages: (pages: number) => void;
  readonly bounds: RetentionBounds;
  readonly tables: TraceTables;
  readonly remover: TraceRemover;
  /** Traces in the store. */
  readonly traceCount: () => number;
  /** Called with the number of evicted traces. */
  readonly onEvicted: (reason: EvictionReason, traces: number) => void;
  /** Writes what changed: the file has the last span of each trace then. */
  readonly flush: () => void;
  /** Store time. */
  readonly nowMs: () => number;
  /**
   * The greatest sequence of a trace from before the start, while a rebuild is under way: what is oldest, or expired, is not known
   * then. Undefined otherwise.
   */
  readonly rebuiltSequence: () => number | undefined;
}

/** Keeps the file within its bounds: the oldest traces go first, in steps. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #statements: Readonly<Record<keyof typeof SQL, SqlStatement>>;
  readonly #pageBytes: number;
  readonly #maxFileBytes: number;
  #expiredMs: number | undefined;
  /** The next traces beyond `maxTraces`, the oldest last. */
  #oldest: number[] = [];
  readonly #traces = new StepSize({
    first: 2 * MIN_TRACES_PER_STEP,
    least: MIN_TRACES_PER_STEP,
    most: MAX_TRACES_PER_STEP,
    targetMs: STEP_MS,
  });
  readonly #pages: StepSize;
  /** What the step under way has done. */
  #done = { traces: 0, pages: 0 };

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#statements = prepareAll(options.db, SQL);
    this.#maxFileBytes = diskShares(options.bounds.diskMaxBytes).fileBytes;
    this.#pageBytes = Number(this.#statements.pageSize.get()?.["bytes"]);
    const most = Math.max(1, Math.floor(MAX_RELEASED_BYTES / this.#pageBytes));
    const least = Math.ceil(most / 8);
    this.#pages = new StepSize({ first: 2 * least, least, most, targetMs: STEP_MS });
  }

  /** Size of the file without free pages. */
  get usedBytes(): number {
    return this.fileBytes - this.#freePages * this.#pageBytes;
  }

  /** Size of the file. */
  get fileBytes(): number {
    return Number(this.#statements.pages.get()?.["pages"]) * this.#pageBytes;
  }

  get #freePages(): number {
    return Number(this.#statements.freePages.get()?.["pages"]);
  }

  /**
   * Traces whose last span arrived until then are expired, although the file still has them: no question shows them. Undefined if
   * there was none at the last check.
   */
  get expiredMs(): number | undefined {
    return this.#expiredMs;
  }

  /** Finds out whether traces are expired, without evicting them. */
  checkExpired(): void {
    this.#expiredMs = undefined;
    const { bounds, tables, nowMs } = this.#options;
    const expiredMs = nowMs() - bounds.ttlSeconds * 1000;
    if (bounds.ttlSeconds > 0 && tables.silentSince(expiredMs, 1).length > 0) this.#expiredMs = expiredMs;
  }

  /** Evicts traces without a span for `ttlSeconds`, in one step. @returns true if there are more. */
  evictExpired(): boolean {
    this.checkExpired();
    const expiredMs = this.#expiredMs;
    if (expiredMs === undefined || this.#options.rebuiltSequence() !== undefined) return false;
    const { tables, flush } = this.#options;
    // A span that has arrived since the last flush keeps its trace.
    flush();
    this.#evict("ttl", tables.silentSince(expiredMs, this.#traces.items));
    if (tables.silentSince(expiredMs, 1).length === 0) this.#expiredMs = undefined;
    return this.#expiredMs !== undefined;
  }

  /** Evicts those of the traces that are expired. Everything must be flushed. */
  evictExpiredOf(sequences: readonly number[]): void {
    const { tables } = this.#options;
    const { expiredMs = Number.NEGATIVE_INFINITY } = this;
    this.#evict(
      "ttl",
      sequences.filter((sequence) => (tables.lastMs(sequence) ?? expiredMs) <= expiredMs),
    );
  }

  /** Evicts some traces without a span since `beforeMs`, in store time. @returns their number; 0 if there are none. */
  prune(beforeMs: number): number {
    this.#done = { traces: 0, pages: 0 };
    this.#options.flush();
    return this.#evict("pruned", this.#options.tables.silentSince(beforeMs, this.#traces.items));
  }

  /** Makes room for one more trace. */
  makeRoomForTrace(): void {
    const { bounds, traceCount, rebuiltSequence } = this.#options;
    if (rebuiltSequence() !== undefined) return;
    // After a rebuild there may be many more than one too many: the steps of retention evict the others.
    for (let surplus = Math.min(traceCount() + 1 - bounds.maxTraces, MAX_TRACES_PER_STEP); surplus > 0;) {
      const oldest = this.#takeOldest();
      if (oldest === undefined) return;
      surplus -= this.#evict("max_traces", [oldest]);
    }
  }

  /** The oldest trace, which may be gone meanwhile. Every trace that the file does not have yet is newer than those that it has. */
  #takeOldest(): number | undefined {
    const { tables, flush } = this.#options;
    if (this.#oldest.length === 0) this.#oldest = tables.oldest(MAX_TRACES_PER_STEP).reverse();
    if (this.#oldest.length === 0) {
      flush();
      this.#oldest = tables.oldest(MAX_TRACES_PER_STEP).reverse();
    }
    return this.#oldest.pop();
  }

  /** The time of the last step, with its commit: the next one is as long as it should be. */
  took(ms: number): void {
    const { traces, pages } = this.#done;
    if (traces > 0) this.#traces.took(traces, ms);
    else if (pages > 0) this.#pages.took(pages, ms);
    this.#done = { traces: 0, pages: 0 };
  }

  /**
   * One step towards the bounds.
   *
   * @param mayRelease - false while pages have to stay where they are: what is free is kept then.
   * @returns true if more steps are needed.
   */
  step({ mayRelease = true } = {}): boolean {
    const { bounds, rebuiltSequence, traceCount } = this.#options;
    this.#done = { traces: 0, pages: 0 };
    if (rebuiltSequence() !== undefined) return false;
    if (this.evictExpired()) return true;
    const tooMany = Math.min(traceCount() - bounds.maxTraces, this.#traces.items);
    if (tooMany > 0) return this.#evictOldest("max_traces", tooMany);
    const surplus = 1 - this.#maxFileBytes / this.usedBytes;
    if (surplus > 0) return this.#evictOldest("disk_max_bytes", this.#share(surplus, this.#traces.items));
    const isLarge = this.fileBytes > this.#maxFileBytes || this.#freePages * this.#pageBytes > MAX_FREE_BYTES;
    return mayRelease && isLarge && this.#releasePages();
  }

  /** Evicts the oldest traces to make room on a full disk. */
  evictOldest(): boolean {
    return this.#evictOldest("disk_max_bytes", this.#share(SHARE_ON_FULL_DISK, TRACES_ON_FULL_DISK));
  }

  /** The number of traces with a share of the bytes if all are of one size: a few large traces are not evicted at once. */
  #share(share: number, max: number): number {
    return Math.min(max, Math.max(1, Math.ceil(this.#options.traceCount() * share)));
  }

  /** Returns free pages to the file system, outside a transaction. @returns false if there are none. */
  #releasePages(): boolean {
    if (this.#freePages === 0) return false;
    const pages = this.#pages.items;
    this.#done.pages += pages;
    this.#options.releasePages(pages);
    return true;
  }

  #evictOldest(reason: EvictionReason, traces: number): boolean {
    const { tables, flush, rebuiltSequence } = this.#options;
    flush();
    const newest = rebuiltSequence() ?? Number.POSITIVE_INFINITY;
    const oldest = tables.oldest(traces).filter((sequence) => sequence <= newest);
    return this.#evict(reason, oldest) > 0;
  }

  #evict(reason: EvictionReason, sequences: readonly number[]): number {
    const { remover, onEvicted } = this.#options;
    const evicted = remover.evict(sequences);
    this.#done.traces += evicted;
    if (evicted > 0) onEvicted(reason, evicted);
    return evicted;
  }
}
