import type { Clock } from "../../src/runtime/clock.js";
import { systemClock } from "../../src/runtime/clock.js";

/** A clock that advances on every read, so that every time slice is over as soon as it starts. */
export function everLater(): Clock {
  let nowMs = 0;
  return { ...systemClock, monotonic: () => (nowMs += 10) };
}

/** Counts the turns of the event loop until `end` is called. */
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
