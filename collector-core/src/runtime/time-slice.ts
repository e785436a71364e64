import type { Clock } from "./clock.js";
import { onNextTurn } from "./loop-turn.js";

/** How long work may hold the event loop in one of its turns: ingestion goes on between slices. */
const SLICE_MS = 5;

/**
 * Divides long work into slices. All work by the same clock shares one slice in each turn of the event loop, and takes
 * turns: a hundred questions at once hold the loop no longer than one does.
 */
export class TimeSlice {
  readonly #turns: LoopTurns;

  /**
   * @param signal - ends the work: {@link next} rejects with its reason.
   * @param lane - `urgent` work, which somebody waits for with a time limit of their own, has every second turn.
   */
  constructor(
    clock: Pick<Clock, "monotonic">,
    private readonly signal?: AbortSignal,
    private readonly lane: Lane = "ordinary",
  ) {
    this.#turns = turnsOf(clock);
    this.#turns.enter();
  }

  /** True when it is time to wait for {@link next}. */
  isOver(): boolean {
    return this.#turns.isOver();
  }

  /** Lets everything else that waits have its turn. */
  async next(): Promise<void> {
    await this.#turns.next(this.lane);
    this.signal?.throwIfAborted();
  }
}

type Lane = "ordinary" | "urgent";

/** The turns of the event loop in which sliced work is done, one waiting piece of work in each. */
class LoopTurns {
  /** Work that waits, the longest wait first. */
  readonly #waiting: Readonly<Record<Lane, (() => void)[]>> = { ordinary: [], urgent: [] };
  #lastLane: Lane = "ordinary";
  #endsAtMs = Number.NEGATIVE_INFINITY;
  /** True while the slice of this turn has an end: the next turn begins by itself. */
  #isOpen = false;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** Begins the slice of this turn, unless other work has. */
  enter(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#endsAtMs = this.clock.monotonic() + SLICE_MS;
    onNextTurn(this.#onTurn);
  }

  isOver(): boolean {
    if (this.#isOpen) return this.clock.monotonic() >= this.#endsAtMs;
    // The work has waited for something else, and goes on in a later turn than it stopped in.
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
    const goOn = this.#waiting[lane].shift();
    if (goOn === undefined) return;
    this.#lastLane = lane;
    this.enter();
    goOn();
  };
}

const turnsByClock = new WeakMap<Pick<Clock, "monotonic">, LoopTurns>();

function turnsOf(clock: Pick<Clock, "monotonic">): LoopTurns {
  let turns = turnsByClock.get(clock);
  if (turns === undefined) turnsByClock.set(clock, (turns = new LoopTurns(clock)));
  return turns;
}
