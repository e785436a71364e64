import type { Clock } from "./clock.js";
import { onNextTurn } from "./loop-turn.js";

/** Time that sliced work may block the event loop per turn; ingestion continues between slices. */
const SLICE_MS = 5;

/**
 * Divides long work into slices. All work with the same clock shares one slice per turn of the event loop: a hundred
 * concurrent queries block the loop no longer than one.
 */
export class TimeSlice {
  readonly #turns: LoopTurns;
  readonly #signal: AbortSignal | undefined;
  readonly #lane: Lane;

  /**
   * @param signal - aborts the work: {@link next} rejects with its reason.
   * @param lane - `urgent` work has a deadline of its caller and gets every second turn.
   */
  constructor(clock: Pick<Clock, "monotonic">, signal?: AbortSignal, lane: Lane = "ordinary") {
    this.#signal = signal;
    this.#lane = lane;
    this.#turns = turnsOf(clock);
    this.#turns.enter();
  }

  /** True if the work must wait for {@link next}. */
  isOver(): boolean {
    return this.#turns.isOver();
  }

  /** Yields to all other pending work. */
  async next(): Promise<void> {
    await this.#turns.next(this.#lane);
    this.#signal?.throwIfAborted();
  }
}

type Lane = "ordinary" | "urgent";

/** Schedules sliced work: each turn of the event loop resumes one waiting task. */
class LoopTurns {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Waiting tasks, oldest first. */
  readonly #waiting: Readonly<Record<Lane, (() => void)[]>> = { ordinary: [], urgent: [] };
  #lastLane: Lane = "ordinary";
  #endsAtMs = Number.NEGATIVE_INFINITY;
  /** True while the slice of this turn is open and the next turn is scheduled. */
  #isOpen = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Opens the slice of this turn if it is not open. */
  enter(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#endsAtMs = this.#clock.monotonic() + SLICE_MS;
    onNextTurn(this.#onTurn);
  }

  isOver(): boolean {
    if (this.#isOpen) return this.#clock.monotonic() >= this.#endsAtMs;
    // The work awaited something else and continues in a later turn.
    this.enter();
    return false;
  }

  next(lane: Lane): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting[lane].push(resolve);
      this.enter();
    });
  }

  readonly #onTurn = (): void => {
    this.#isOpen = false;
    const other: Lane = this.#lastLane === "ordinary" ? "urgent" : "ordinary";
    const lane = this.#waiting[other].length > 0 ? other : this.#lastLane;
    const resume = this.#waiting[lane].shift();
    if (resume === undefined) return;
    this.#lastLane = lane;
    this.enter();
    resume();
  };
}

const turnsByClock = new WeakMap<Pick<Clock, "monotonic">, LoopTurns>();

function turnsOf(clock: Pick<Clock, "monotonic">): LoopTurns {
  let turns = turnsByClock.get(clock);
  if (turns === undefined) turnsByClock.set(clock, (turns = new LoopTurns(clock)));
  return turns;
}
