import type { Clock } from "../../../runtime/clock.js";

/** The clocks at the last commit of a file. */
export interface CommittedClocks {
  readonly storeMs: number;
  /** The wall clock. Absent in a file of an older version. */
  readonly wallMs?: number;
}

/**
 * The time by which the store ages its traces, in milliseconds. It never goes back. While the store runs it is the monotonic clock:
 * a jump of the wall clock changes nothing. Between two runs it goes on by the difference of the wall clock, if that went on.
 *
 * - A wall clock that was corrected while the store ran, forward or back, changes no age at the next start.
 * - A wall clock that was set back between two runs makes no trace younger; the time in between does not count.
 * - A wall clock that was set a day ahead between two runs cannot be told from a day without the process: running traces are
 * abandoned and traces expire as after a day. The memory store has no such case, since it keeps nothing between two runs.
 */
export class StoreClock {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #openedAtMs: number;
  readonly #openedAt: number;

  constructor(clock: Clock, { storeMs, wallMs = storeMs }: CommittedClocks) {
    this.#clock = clock;
    this.#openedAtMs = storeMs + Math.max(0, clock.now() - wallMs);
    this.#openedAt = clock.monotonic();
  }

  nowMs(): number {
    return this.#openedAtMs + this.#clock.monotonic() - this.#openedAt;
  }
}
