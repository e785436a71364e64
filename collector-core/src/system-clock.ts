import { performance } from "node:perf_hooks";
import type { Clock } from "./interfaces.js";

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
