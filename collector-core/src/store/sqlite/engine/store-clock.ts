import type { Clock } from "../../../runtime/clock.js";

/**
 * The time by which the store ages its traces, in milliseconds since the Unix epoch: the wall clock when the file was opened,
 * continued by the monotonic clock. A jump of the wall clock while the store runs changes nothing, and a clock that was set
 * back between two starts does not make traces younger.
 */
export class StoreClock {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #openedAtMs: number;
  readonly #openedAt: number;

  /** @param highestMs - the latest time that the file has seen. */
  constructor(clock: Clock, highestMs: number) {
    this.#clock = clock;
    this.#openedAtMs = Math.max(clock.now(), highestMs);
    this.#openedAt = clock.monotonic();
  }

  nowMs(): number {
    return this.#openedAtMs + this.#clock.monotonic() - this.#openedAt;
  }
}
