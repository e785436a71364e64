import type { TraceKey } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import { errorCode } from "../../../runtime/describe-error.js";
import { nextTurn } from "../../../runtime/loop-turn.js";
import type { Steps } from "../../../runtime/steps.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import { traceKeyText } from "../../../span/trace-key-text.js";
import { SqlError } from "../driver/sqlite-driver.js";
import { readMeta, writeMeta } from "../file/meta.js";
import { UnusedBytes } from "../file/unused-bytes.js";
import type { TraceFile } from "../open-trace-file.js";
import { storeUnavailable } from "../../store-unavailable.js";
import type { OpenStore } from "./open-store.js";
import { unavailable } from "./sql-failures.js";

/** Traces that are erased together: each chunk that they share is written once. */
const TRACES_PER_BATCH = 1000;
/** Traces that are removed in one step: a few milliseconds. */
const TRACES_PER_STEP = 25;
/** Time in a tick for the bytes that the file does not use. */
const FINISH_SLICE_MS = 8;
/** Ticks wait for this time after the file system has refused to open, read or write the file. */
const RETRY_INTERVAL_MS = 5000;

/** What {@link TraceRemoval} needs of the engine. */
export interface TraceRemovalOptions {
  /** The open file and its store. Both are replaced when the file is damaged or cleared. */
  readonly open: () => { readonly file: TraceFile; readonly store: OpenStore };
  /** Runs work on the file, once more after an error of SQLite. */
  readonly read: <Result>(work: () => Result) => Promise<Result>;
  readonly commit: () => void;
  /** Called with the number of removed traces. */
  readonly onRemoved: (traces: number) => void;
  readonly clock: Clock;
}

interface RemovalRequest {
  readonly key: TraceKey;
  readonly resolve: (isRemoved: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A request whose trace is gone, if there was one. */
interface Removed {
  readonly request: RemovalRequest;
  readonly isRemoved: boolean;
}

/**
 * Removes traces for good. The traces are gone at once. Their text is erased in time slices, between which spans are stored and
 * questions answered. Requests that arrive meanwhile form one batch.
 */
export class TraceRemoval {
  readonly #options: TraceRemovalOptions;
  #requests: RemovalRequest[] = [];
  #isRunning = false;
  #isStopped = false;
  /** True until erased text has left the bytes that the file does not use, and the write-ahead log. */
  #isErasing = false;
  #unused: UnusedBytes | undefined;
  /** Erases the unused bytes. */
  #steps: Steps<boolean> | undefined;
  /** See {@link RETRY_INTERVAL_MS}. */
  #retryAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: TraceRemovalOptions) {
    this.#options = options;
  }

  /** True while a tick has work to do. */
  get isPending(): boolean {
    return this.#isErasing || this.#options.open().store.eraser.isPending;
  }

  /** Resolves when no byte of the files has text of the trace; during a backup, when no chunk has. */
  remove(key: TraceKey): Promise<boolean> {
    if (this.#isStopped) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      this.#requests.push({ key, resolve, reject });
      this.#start();
    });
  }

  /** Continues an erasure that was interrupted or has to wait. Called with each tick, with everything committed or not. */
  tick(): void {
    const { store } = this.#options.open();
    if (store.eraser.isPending) this.#start();
    else if (this.#isErasing && !this.#isRunning && !store.hasUncommitted && this.#isTimeToRetry())
      this.#finish();
  }

  /** The file was opened or replaced. Ticks go on with what another process has begun. */
  opened(): void {
    const { db } = this.#options.open().file;
    this.#isErasing = false;
    this.#unused = undefined;
    this.#steps = undefined;
    if (readMeta(db, "erasing") === 1) this.#secure();
  }

  /** Fails the requests that wait. What was begun goes on with the next start. */
  stop(): void {
    this.#isStopped = true;
    for (const { reject } of this.#requests.splice(0)) reject(stopping());
  }

  #start(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    void this.#run().finally(() => (this.#isRunning = false));
  }

  async #run(): Promise<void> {
    const timeSlice = new TimeSlice(this.#options.clock);
    do {
      const batch: Removed[] = [];
      try {
        await this.#begin(batch, timeSlice);
        // The other requests of this turn join the batch.
        await nextTurn();
        await this.#begin(batch, timeSlice);
        await this.#erase(timeSlice);
        this.#resolve(batch);
      } catch (error) {
        for (const { request } of batch) request.reject(error);
      }
    } while (this.#requests.length > 0 && !this.#isStopped);
  }

  /** A trace that a rebuild had not indexed is known by its erased spans. */
  #resolve(batch: readonly Removed[]): void {
    const { open, onRemoved } = this.#options;
    const found = open().store.eraser.takeFound();
    for (const { request, isRemoved } of batch) {
      const wasFound = !isRemoved && found.has(traceKeyText(request.key));
      if (wasFound) onRemoved(1);
      request.resolve(isRemoved || wasFound);
    }
  }

  /** Removes the traces of the requests that wait, and adds them to the batch. */
  async #begin(batch: Removed[], timeSlice: TimeSlice): Promise<void> {
    while (this.#requests.length > 0 && batch.length < TRACES_PER_BATCH) {
      const requests = this.#requests.splice(0, TRACES_PER_STEP);
      try {
        const removed = await this.#options.read(() => this.#remove(requests));
        for (const [index, request] of requests.entries())
          batch.push({ request, isRemoved: removed[index] === true });
      } catch (error) {
        for (const { reject } of requests) reject(error);
      }
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }

  /** Removes traces, and commits that. */
  #remove(requests: readonly RemovalRequest[]): boolean[] {
    const { open, onRemoved, commit } = this.#options;
    const { store } = open();
    store.refresh();
    store.commitAllChunks();
    this.#secure();
    const removed = requests.map(({ key }) => store.remove(key));
    onRemoved(removed.filter(Boolean).length);
    commit();
    return removed;
  }

  async #erase(timeSlice: TimeSlice): Promise<void> {
    const { read } = this.#options;
    for (const step of [() => this.#eraseStep(), () => this.#finishStep()]) {
      for (;;) {
        if (this.#isStopped) throw stopping();
        if (!(await read(step))) break;
        if (timeSlice.isOver()) await timeSlice.next();
      }
    }
  }

  /** @returns true if a chunk may have text of a removed trace. */
  #eraseStep(): boolean {
    const { open, commit } = this.#options;
    const { eraser } = open().store;
    if (!eraser.isPending) return false;
    this.#secure();
    if (!eraser.step()) commit();
    return eraser.isPending;
  }

  #finishStep(): boolean {
    if (!this.#isErasing) return false;
    const { open, commit } = this.#options;
    if (open().store.hasUncommitted) commit();
    return this.#finish();
  }

  /** Makes SQLite overwrite what it deletes. */
  #secure(): void {
    if (this.#isErasing) return;
    const { db } = this.#options.open().file;
    db.exec("PRAGMA secure_delete = ON");
    if (readMeta(db, "erasing") !== 1) writeMeta(db, "erasing", 1);
    this.#isErasing = true;
  }

  /**
   * Removes erased text from the bytes that the file does not use, and from the write-ahead log. A backup may delay it.
   *
   * @returns true if more is left.
   */
  #finish(): boolean {
    const { file } = this.#options.open();
    const isErased = this.#eraseUnused(file);
    if (isErased === undefined) return true;
    if (!isErased) return false;
    writeMeta(file.db, "erasing", 0);
    this.#isErasing = false;
    file.db.exec("PRAGMA secure_delete = FAST");
    return false;
  }

  #isTimeToRetry(): boolean {
    return this.#options.clock.monotonic() >= this.#retryAtMs;
  }

  /** @returns true if it is done, false if that is not possible now, undefined if more is left. */
  #eraseUnused(file: TraceFile): boolean | undefined {
    const until = this.#options.clock.monotonic() + FINISH_SLICE_MS;
    this.#unused ??= new UnusedBytes(file);
    const steps = (this.#steps ??= this.#unused.erase());
    // Begun anew after an error.
    this.#steps = undefined;
    for (;;) {
      const step = this.#nextOf(steps);
      if (step.done === true) return step.value;
      if (this.#options.clock.monotonic() < until) continue;
      this.#steps = steps;
      return undefined;
    }
  }

  /** @throws ApiError where the file system refuses what SQLite has no part in. */
  #nextOf(steps: Steps<boolean>): IteratorResult<void, boolean> {
    try {
      return steps.next();
    } catch (error) {
      if (error instanceof SqlError || errorCode(error) === undefined) throw error;
      this.#retryAtMs = this.#options.clock.monotonic() + RETRY_INTERVAL_MS;
      throw unavailable(error);
    }
  }
}

function stopping() {
  return storeUnavailable("The collector is stopping.");
}
