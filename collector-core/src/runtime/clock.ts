import { performance } from "node:perf_hooks";

/** Source of time. Tests inject their own and do not sleep. */
export interface Clock {
  /** Wall clock, in milliseconds since the Unix epoch: for display. It may jump. */
  now(): number;
  /** Monotonic milliseconds: for ages, rates and timeouts. */
  monotonic(): number;
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
