import type { Clock } from "../../../runtime/clock.js";
import { describeError } from "../../../runtime/describe-error.js";
import { nextTurn } from "../../../runtime/loop-turn.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import type { EngineHost } from "../thread/storage-engine.js";
import type { CurrentStore } from "./current-store.js";
import type { FailureRecovery } from "./failure-recovery.js";

/** Interval of the commits of a rebuild. Spans that arrive are committed earlier, with what is indexed by then. */
const COMMIT_INTERVAL_MS = 1000;
/** Interval of the log lines about its progress. */
const LOG_INTERVAL_MS = 10_000;
/** After an error of SQLite. */
const RETRY_AFTER_MS = 5000;

/** Options of {@link BackgroundRebuild}. */
export interface BackgroundRebuildOptions {
  readonly current: CurrentStore;
  readonly recovery: FailureRecovery;
  readonly commit: () => void;
  readonly clock: Clock;
  readonly host: EngineHost;
  /** Called between two steps, for tests. Default: the time slices that all long work shares. */
  readonly betweenSteps?: (() => Promise<void>) | undefined;
}

/** Runs the rebuild of the open file in time slices, between which spans are stored and questions answered. */
export class BackgroundRebuild {
  readonly #options: BackgroundRebuildOptions;
  #isRunning = false;
  #isStopped = false;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #committedAtMs = 0;
  #loggedAtMs = 0;
  #startedAtMs = 0;
  #waiting: (() => void)[] = [];

  constructor(options: BackgroundRebuildOptions) {
    this.#options = options;
  }

  get #isNeeded(): boolean {
    return this.#options.current.store.rebuildProgress !== null;
  }

  /** Begins or continues a rebuild, if the file needs one and can be written. Called at the start and with each tick. */
  tick(): void {
    const { clock, recovery } = this.#options;
    if (this.#isRunning || this.#isStopped || !this.#isNeeded) return;
    if (recovery.degraded !== undefined || clock.monotonic() < this.#retryAtMs) return;
    this.#isRunning = true;
    void this.#run()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => (this.#isRunning = false));
  }

  /** Resolves when no rebuild is under way. */
  done(): Promise<void> {
    if (this.#isStopped || !this.#isNeeded) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** It begins again with the next start. */
  stop(): void {
    this.#isStopped = true;
    this.#end();
  }

  #end(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #run(): Promise<void> {
    const { clock, recovery, betweenSteps } = this.#options;
    if (this.#startedAtMs === 0) this.#logStart();
    // The start, and the answers to questions, come first.
    await nextTurn();
    const timeSlice = new TimeSlice(clock);
    while (!this.#isStopped && recovery.degraded === undefined && this.#isNeeded) {
      if (!recovery.guard(() => this.#step())) {
        this.#retryAtMs = clock.monotonic() + RETRY_AFTER_MS;
        return;
      }
      if (betweenSteps !== undefined) await betweenSteps();
      else if (timeSlice.isOver()) await timeSlice.next();
    }
    if (!this.#isNeeded) this.#end();
  }

  #step(): void {
    const { current, commit, clock } = this.#options;
    const { store } = current;
    const nowMs = clock.monotonic();
    if (store.isBufferFull || nowMs - this.#committedAtMs >= COMMIT_INTERVAL_MS) {
      commit();
      this.#committedAtMs = clock.monotonic();
    } else if (!store.rebuildStep()) {
      commit();
      this.#logEnd();
      return;
    }
    if (nowMs - this.#loggedAtMs >= LOG_INTERVAL_MS) this.#logProgress(nowMs);
  }

  /** After an error that is not of SQLite, which another attempt would meet again. */
  #fail(error: unknown): void {
    const { host, current } = this.#options;
    host.log("error", "The rebuild of the trace store failed. It begins again with the next start.", {
      path: current.file.path,
      error: describeError(error),
    });
    this.stop();
  }

  #logStart(): void {
    const { host, current, clock } = this.#options;
    this.#startedAtMs = clock.monotonic();
    this.#loggedAtMs = this.#startedAtMs;
    host.log("info", "Rebuilding the trace store from its chunks. Lists are incomplete until it is done.", {
      path: current.file.path,
    });
  }

  #logProgress(nowMs: number): void {
    const { host, current } = this.#options;
    this.#loggedAtMs = nowMs;
    const percent = Math.floor((current.store.rebuildProgress ?? 1) * 100);
    host.log("info", `Rebuilding the trace store: ${percent} % done.`, { path: current.file.path });
  }

  #logEnd(): void {
    const { host, current, clock } = this.#options;
    const seconds = Math.round((clock.monotonic() - this.#startedAtMs) / 100) / 10;
    const { traceCount: traces, spanCount: spans } = current.store;
    host.log("info", "The trace store is rebuilt.", { path: current.file.path, seconds, traces, spans });
    this.#startedAtMs = 0;
  }
}
