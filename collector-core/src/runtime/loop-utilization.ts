import { performance } from "node:perf_hooks";

/** Makes a function that tells for which part of the time, from 0 to 1, the event loop was at work since it was last asked. */
export function createLoopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
