import type { UnsavedReason } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { describeError, errorMessage } from "../../../runtime/describe-error.js";
import { SqlError } from "../driver/sqlite-driver.js";
import type { EngineHost } from "../thread/storage-engine.js";
import type { CurrentStore } from "./current-store.js";
import type { EngineCounts } from "./engine-counts.js";
import type { PendingSpans } from "./pending-spans.js";
import { FileMovedError, isDamage, isFull, isIndexDamage, unavailable } from "./sql-failures.js";

/** Interval of trying to store again. */
const RETRY_INTERVAL_MS = 5000;
/** Within this time, damage that is found after all indexes were written again is not in an index. */
const INDEXES_HOLD_MS = 60_000;

/** What cannot be stored. */
interface Degradation {
  readonly cause: UnsavedReason;
  readonly reason: string;
  readonly retryAtMs: number;
}

/** Options of {@link FailureRecovery}. */
export interface FailureRecoveryOptions {
  readonly current: CurrentStore;
  readonly counts: EngineCounts;
  readonly pending: PendingSpans;
  readonly commit: () => void;
  /** Reads the size of the file. */
  readonly measure: () => void;
  /** True if the disk has less free space than the store leaves. */
  readonly isDiskShort: () => boolean;
  readonly clock: Pick<Clock, "monotonic">;
  readonly host: EngineHost;
}

/**
 * Runs work on the file and survives its failure: the store returns to the last commit and adds the records since then again, to
 * an empty file if this one is damaged. What fails twice is dropped and counted, and the store keeps no spans until the file can
 * be written again.
 */
export class FailureRecovery {
  readonly #options: FailureRecoveryOptions;
  #degraded: Degradation | undefined;
  #indexedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FailureRecoveryOptions) {
    this.#options = options;
  }

  /** Why new spans are not stored; undefined while they are. */
  get degraded(): Pick<Degradation, "cause" | "reason"> | undefined {
    return this.#degraded;
  }

  /**
   * Runs work on the file. What fails is repeated once, then counted; nothing is thrown for a full or broken disk.
   *
   * @returns false if the work failed.
   */
  guard(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      this.repeat(error, this.#options.current.store.uncommitted());
      return false;
    }
  }

  /** Answers a question. After an error of SQLite it is asked once more: the file may be another one then. */
  async read<Result>(question: () => Result | Promise<Result>): Promise<Result> {
    const { current } = this.#options;
    const { store } = current;
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      const isDegraded = this.#degraded !== undefined;
      if (store === current.store && (!isDegraded || isDamage(error)))
        this.repeat(error, current.store.uncommitted());
    }
    try {
      return await question();
    } catch (error) {
      throw error instanceof SqlError ? unavailable(error) : error;
    }
  }

  /** Returns to the last commit and adds the records since then again, to an empty file if this one is damaged. */
  repeat(error: unknown, records: readonly Buffer[]): void {
    const { current, commit, measure } = this.#options;
    try {
      if (error instanceof FileMovedError) {
        current.followName();
        measure();
      } else if (!isDamage(error)) current.rollBack();
      else if (!this.#writeIndexes(error)) {
        current.openEmpty(error);
        measure();
      }
      if (isFull(error)) this.#makeRoom();
      for (const each of records) current.store.append(each);
      commit();
    } catch (again) {
      this.giveUp(again);
    }
  }

  /**
   * Writes all indexes again from their tables, if one of them may not agree with its table: a changed bit in one row does not
   * cost the file.
   *
   * @returns false if that was not enough, or is not possible.
   */
  #writeIndexes(error: unknown): boolean {
    const { current, clock, host } = this.#options;
    if (!isIndexDamage(error) || clock.monotonic() - this.#indexedAtMs < INDEXES_HOLD_MS) return false;
    this.#indexedAtMs = clock.monotonic();
    try {
      current.rollBack();
      current.file.db.exec("REINDEX");
    } catch {
      return false;
    }
    host.log(
      "error",
      "An index of the trace store did not agree with its table. All indexes were written again.",
      {
        path: current.file.path,
      },
    );
    return true;
  }

  /** Evicts the oldest traces on a full disk. */
  #makeRoom(): void {
    const { current, commit } = this.#options;
    // The place of what was copied into the file is used again.
    current.file.checkpoint("PASSIVE");
    current.store.retention.evictOldest();
    commit();
  }

  /** Drops everything since the last commit. */
  giveUp(error: unknown): void {
    const { current, counts, pending } = this.#options;
    const cause = isFull(error) ? "disk_full" : "io_error";
    counts.unsaved(cause, pending.spans);
    pending.clear();
    const reason =
      cause === "disk_full" ? "The disk is full." : `The file cannot be written: ${errorMessage(error)}.`;
    this.degrade(cause, reason, error);
    try {
      current.rollBack();
      current.store.stopWriting();
    } catch {
      // It is opened again with the next attempt to store spans.
      current.closeFile();
    }
  }

  /** Stores no spans until the next attempt. */
  degrade(cause: UnsavedReason, reason: string, error?: unknown): void {
    const { current, host, clock } = this.#options;
    if (this.#degraded === undefined)
      host.log("error", `The trace store keeps no new spans. ${reason}`, {
        path: current.file.path,
        ...(error !== undefined && { error: describeError(error) }),
      });
    this.#degraded = { cause, reason, retryAtMs: clock.monotonic() + RETRY_INTERVAL_MS };
    current.store.stopWriting();
  }

  /** Tries whether spans can be stored again, if it is time for it. */
  tick(): void {
    const { retryAtMs = Number.POSITIVE_INFINITY } = this.#degraded ?? {};
    if (this.#options.clock.monotonic() >= retryAtMs) this.retry();
  }

  /** Tries at once whether spans can be stored again. Called after what may have made room, such as the removal of traces. */
  retry(): void {
    const degraded = this.#degraded;
    const { current, isDiskShort, measure, host } = this.#options;
    if (degraded === undefined) return;
    if (isDiskShort()) {
      this.degrade(degraded.cause, degraded.reason);
      return;
    }
    try {
      if (!current.file.isOpen) current.openFile(false);
      current.store.continueWriting();
      if (degraded.cause === "disk_full") current.store.retention.step();
      current.store.begin();
      current.store.commit();
    } catch (error) {
      this.giveUp(error);
      return;
    }
    this.#degraded = undefined;
    measure();
    host.log("info", "The trace store keeps spans again.", { path: current.file.path });
  }
}
