import { performance } from "node:perf_hooks";

/** Returns a function that measures the event loop utilization, from 0 to 1, since its previous call. */
export function createLoopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
