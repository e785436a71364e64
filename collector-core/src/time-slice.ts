import { setImmediate } from "node:timers/promises";
import type { Clock } from "./interfaces.js";

/** How long work may hold the event loop: ingestion goes on between slices. */
const SLICE_MS = 5;

/** Divides long work into slices. */
export class TimeSlice {
  #endsAtMs: number;

  /** @param signal - ends the work: {@link next} rejects with its reason. */
  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly signal?: AbortSignal,
  ) {
    this.#endsAtMs = clock.monotonic() + SLICE_MS;
  }

  /** True when it is time to wait for {@link next}. */
  isOver(): boolean {
    return this.clock.monotonic() >= this.#endsAtMs;
  }

  /** Lets everything else that waits have its turn. */
  async next(): Promise<void> {
    await setImmediate();
    this.signal?.throwIfAborted();
    this.#endsAtMs = this.clock.monotonic() + SLICE_MS;
  }
}
