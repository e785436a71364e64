import type { Clock } from "../../runtime/clock.js";

/** The wall clock may be this far from where it should be before it is believed: less is drift. */
const TOLERANCE_MS = 10_000;

/**
 * Time for rings of steps: it reads like the wall clock and never goes back. A wall clock that jumps ahead (a machine
 * that slept) leaves a gap. One that jumps back leaves what was recorded at its age: {@link StepClock.shown} says at
 * what time that is by the clock on the wall.
 */
export interface StepClock {
  /** Milliseconds, as if since the Unix epoch. */
  now(): number;
  /** A time of this clock as the wall clock would show it, RFC 3339. */
  shown(ms: number): string;
}

export function createStepClock(clock: Clock): StepClock {
  let offset = clock.now() - clock.monotonic();

  function now(): number {
    const ahead = clock.now() - clock.monotonic() - offset;
    if (ahead > TOLERANCE_MS) offset += ahead;
    return clock.monotonic() + offset;
  }

  return {
    now,
    shown(ms) {
      const behind = now() - clock.now();
      return new Date(Math.round(behind > TOLERANCE_MS ? ms - behind : ms)).toISOString();
    },
  };
}
