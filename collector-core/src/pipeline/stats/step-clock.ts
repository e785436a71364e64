import type { Clock } from "../../runtime/clock.js";

/** Minimum difference between wall clock and step clock that counts as a clock jump; less is drift. */
const TOLERANCE_MS = 10_000;

/**
 * A clock for rings of steps: it follows the wall clock but never goes back. When the wall clock jumps forward, for
 * example after sleep, the step clock follows and leaves a gap. When the wall clock jumps back, the step clock
 * continues, so that recorded steps keep their age; {@link StepClock.toWallClock} converts their times.
 */
export interface StepClock {
  /** Milliseconds since the Unix epoch, according to this clock. */
  now(): number;
  /** Converts a time of this clock to wall-clock time in RFC 3339. */
  toWallClock(ms: number): string;
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
    toWallClock(ms) {
      const behind = now() - clock.now();
      return new Date(Math.round(behind > TOLERANCE_MS ? ms - behind : ms)).toISOString();
    },
  };
}
