import type { Clock } from "../../src/runtime/clock.js";
import { systemClock } from "../../src/runtime/clock.js";

/** A clock by which every slice of work is over as soon as it has begun. */
export function everLater(): Clock {
  let nowMs = 0;
  return { ...systemClock, monotonic: () => (nowMs += 10) };
}

/** Counts how often the event loop turns until it is told to end. */
export function countTurns(): { end(): number } {
  let turns = 0;
  let next = setImmediate(count);
  function count(): void {
    turns++;
    next = setImmediate(count);
  }
  return {
    end() {
      clearImmediate(next);
      return turns;
    },
  };
}
