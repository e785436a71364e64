import { statSync } from "node:fs";
import type { StoreCompaction, StoredView, StoreFileInfo, StoreVerification } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import type { Steps } from "../../../runtime/steps.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import { SQL_CODES, SqlError } from "../driver/sqlite-driver.js";
import { readBackup } from "../maintenance/backup.js";
import { compact } from "../maintenance/compact.js";
import { traceFileInfo } from "../maintenance/trace-file-info.js";
import { verify } from "../maintenance/verify.js";
import { fileSizes } from "../file/file-sizes.js";
import type { TraceFile } from "../open-trace-file.js";
import { DiskFullError, storeUnavailable } from "../../store-unavailable.js";
import type { BackupPart } from "../thread/storage-engine.js";
import type { OpenStore } from "./open-store.js";
import { writeViews } from "./view-rows.js";

/** A backup that is not read for this time ends. The reader has a shorter limit of its own. */
const MAX_SILENCE_MS = 60_000;
/** The write-ahead log grows during a backup. Beyond this size the backup ends: copying the log takes about a second. */
const MAX_LOG_BYTES = 512 * 2 ** 20;

/** What {@link StoreTasks} needs of the engine. */
export interface StoreTasksOptions {
  /** The open file and its store. Both are replaced when the file is damaged or cleared. */
  readonly open: () => { readonly file: TraceFile; readonly store: OpenStore };
  /** Resolves when no rebuild is under way. */
  readonly rebuilt: () => Promise<void>;
  /** Commits what waits. Handles failures as after each append. */
  readonly commit: () => void;
  /** Runs work on the file and handles its failure. @returns false if the work failed. */
  readonly guard: (work: () => void) => boolean;
  /** Why nothing can be stored; null if it can. */
  readonly reason: () => string | null;
  /** True if the disk has less free space than the store leaves. */
  readonly isDiskShort: () => boolean;
  readonly clock: Clock;
}

interface OpenBackup {
  readonly id: number;
  readonly file: TraceFile;
  readonly parts: Generator<Buffer, void>;
  /** The first part: reading it began the backup. */
  first: IteratorResult<Buffer, void> | undefined;
  readAtMs: number;
}

/** The long tasks on an open file, in time slices: spans are stored between them. */
export class StoreTasks {
  readonly #options: StoreTasksOptions;
  #backup: OpenBackup | undefined;
  #lastBackup = 0;
  /** Why the last backup ended early. */
  #endReason: string | undefined;

  constructor(options: StoreTasksOptions) {
    this.#options = options;
  }

  async info(signal: AbortSignal): Promise<StoreFileInfo> {
    this.#options.commit();
    return await this.#run(traceFileInfo, signal);
  }

  async verify(signal: AbortSignal): Promise<StoreVerification> {
    // Spans that wait are checked too.
    this.#options.commit();
    return await this.#run((file) => verify(file), signal);
  }

  /** Each step begins without a transaction. */
  async compact(signal: AbortSignal): Promise<StoreCompaction> {
    return await this.#run(compact, signal, this.#options.commit);
  }

  /** Evicts the traces that had no span for some time before the call. @returns their number. */
  async prune(olderThanSeconds: number, signal: AbortSignal): Promise<number> {
    const { open, guard, commit, reason, clock, rebuilt } = this.#options;
    // Before, the last span of a trace is not known.
    await rebuilt();
    signal.throwIfAborted();
    const timeSlice = new TimeSlice(clock, signal);
    const beforeMs = open().store.nowMs - olderThanSeconds * 1000;
    for (let total = 0; ;) {
      let evicted = 0;
      const isDone = guard(() => {
        const { store } = open();
        store.flush();
        const startedAtMs = clock.monotonic();
        evicted = store.retention.prune(beforeMs);
        store.commit();
        store.retention.took(clock.monotonic() - startedAtMs);
      });
      if (!isDone)
        throw storeUnavailable(
          `${reason() ?? "The file could not be written."} ${total} traces were removed before.`,
        );
      commit();
      total += evicted;
      if (evicted === 0) return total;
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }

  async openBackup(
    views: readonly StoredView[] | undefined,
  ): Promise<{ readonly backup: number; readonly size: number }> {
    this.#end("Another backup was begun.");
    const { open, guard, commit, clock } = this.#options;
    commit();
    // The traces are copied even on a full disk.
    if (views !== undefined) guard(() => writeViews(open().file.db, views));
    const { file } = open();
    const parts = readBackup(file);
    const first = attempt(() => parts.next());
    const id = ++this.#lastBackup;
    this.#endReason = undefined;
    this.#backup = { id, file, parts, first, readAtMs: clock.monotonic() };
    return { backup: id, size: statSync(file.path).size };
  }

  async readBackup(id: number): Promise<BackupPart | undefined> {
    const backup = this.#backup;
    if (backup?.id !== id) throw storeUnavailable(this.#endReason ?? "The backup has ended.");
    backup.readAtMs = this.#options.clock.monotonic();
    const { first = attempt(() => backup.parts.next()) } = backup;
    backup.first = undefined;
    if (first.done === true) return undefined;
    const { buffer, byteOffset, byteLength } = first.value;
    return { bytes: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer };
  }

  async closeBackup(id: number): Promise<void> {
    if (this.#backup?.id === id) this.#end("The backup has ended.");
  }

  /** Ends a backup that holds the write-ahead log for too long. Called with each tick. */
  tick(): void {
    if (this.#backup === undefined) return;
    const { file, readAtMs } = this.#backup;
    const { clock, isDiskShort } = this.#options;
    if (clock.monotonic() - readAtMs > MAX_SILENCE_MS) this.#end("The backup was not read for too long.");
    else if (logBytesOf(file) > MAX_LOG_BYTES)
      this.#end("The backup took too long: too much was written meanwhile.");
    else if (isDiskShort()) this.#end("The disk has too little free space for a backup.");
  }

  /** Ends the backup under way. */
  stop(): void {
    this.#end("The collector is stopping.");
  }

  #end(reason: string): void {
    const backup = this.#backup;
    if (backup === undefined) return;
    this.#backup = undefined;
    this.#endReason = reason;
    backup.parts.return();
    const { open, commit } = this.#options;
    if (open().file !== backup.file) return;
    commit();
    // The log has grown meanwhile. A commit that finds the file damaged replaces it.
    if (open().file === backup.file) attempt(() => backup.file.checkpoint("TRUNCATE"));
  }

  /** Runs the steps of a task on the file that is open now. */
  async #run<Result>(
    begin: (file: TraceFile) => Steps<Result>,
    signal: AbortSignal,
    beforeStep: () => void = () => undefined,
  ): Promise<Result> {
    const { open, clock } = this.#options;
    const timeSlice = new TimeSlice(clock, signal);
    const { file } = open();
    const steps = begin(file);
    for (;;) {
      beforeStep();
      if (open().file !== file) throw storeUnavailable("The file was replaced meanwhile.");
      const step = attempt(() => steps.next());
      if (step.done === true) return step.value;
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }
}

function logBytesOf({ path }: TraceFile): number {
  return fileSizes(path).logBytes;
}

/** Runs work on the file. Its failure tells the client what is wrong, and changes nothing. */
function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    if (error.code === SQL_CODES.MISUSE) throw storeUnavailable("The file was closed meanwhile.");
    if (error.code === SQL_CODES.FULL) throw new DiskFullError();
    throw storeUnavailable(`The file cannot be read or written: ${error.message}.`);
  }
}
