import type { Clock } from "../../../runtime/clock.js";
import { createWorkTimer, type WorkTimer } from "../../../runtime/work-timer.js";
import type { TraceIndex } from "./trace-index.js";

/** Interval of checking the event loop, and the longest time used per check: 4 % of the time. */
const INTERVAL_MS = 50;
const SLICE_MS = 2;
/** The utilization of the event loop up to which facts are computed: with recent queries, and without. */
const MAX_UTILIZATION = { withQueries: 0.5, withoutQueries: 0.05 } as const;
/** A query is recent for this long. */
const RECENT_MS = 60_000;

/** Options of {@link IdleCatchUp}. */
export interface IdleCatchUpOptions {
  readonly index: Pick<TraceIndex, "catchUp">;
  readonly clock: Pick<Clock, "monotonic">;
  /** Share of time that the event loop was busy since the last call, from 0 to 1. */
  readonly loopUtilization: () => number;
}

/**
 * Computes the facts of new traces while the event loop is idle, some thousand traces a second, so that the first query
 * after a burst is fast. Does nothing under full load: traces that are evicted a second later are never queried.
 */
export class IdleCatchUp {
  readonly #options: IdleCatchUpOptions;
  readonly #timer: WorkTimer;
  #queriedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: IdleCatchUpOptions) {
    this.#options = options;
    this.#timer = createWorkTimer(INTERVAL_MS, () => this.#check());
  }

  start(): void {
    this.#timer.start();
  }

  stop(): void {
    this.#timer.stop();
  }

  /** Traces have changed. */
  recordChange(): void {
    this.#timer.wake();
  }

  /** Records a query. */
  recordQuery(): void {
    this.#queriedAtMs = this.#options.clock.monotonic();
  }

  /** @returns true if facts are missing. */
  #check(): boolean {
    const { index, clock, loopUtilization } = this.#options;
    const nowMs = clock.monotonic();
    const maxUtilization =
      nowMs - this.#queriedAtMs < RECENT_MS ? MAX_UTILIZATION.withQueries : MAX_UTILIZATION.withoutQueries;
    return loopUtilization() > maxUtilization || !index.catchUp(nowMs + SLICE_MS);
  }
}
