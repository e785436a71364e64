import { performance } from "node:perf_hooks";

/** Tells the time. Tests pass their own, so that none has to sleep. */
export interface Clock {
  /** Wall clock, in milliseconds since the Unix epoch: for what is shown. It may jump. */
  now(): number;
  /** Milliseconds that only ever grow: for ages, rates and time limits. */
  monotonic(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
