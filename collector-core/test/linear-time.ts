import { expect } from "vitest";

/** Eight times the work takes eight times the time when linear, and sixty-four times when quadratic. */
export const MORE_WORK = 8;
const MOST_GROWTH = 32;
/** Less CPU time than this says nothing. */
const NEGLIGIBLE_MS = 30;
/** V8 may compile or collect garbage during a measurement, which a busy machine makes longer. */
const MEASUREMENTS = 8;

/**
 * Fails if {@link MORE_WORK} times the work takes far more than that of the time: every time that it is measured, with the shortest
 * times so far.
 */
export function expectLinearTime(what: string, small: () => unknown, large: () => unknown): void {
  let largeMs = cpuMs(large);
  let smallMs = Infinity;
  for (let measured = 0; largeMs >= NEGLIGIBLE_MS; measured++) {
    smallMs = Math.min(smallMs, cpuMs(small));
    if (largeMs < smallMs * MOST_GROWTH) return;
    if (measured === MEASUREMENTS)
      expect.fail(`${what}: ${smallMs} ms, and ${largeMs} ms for ${MORE_WORK} times as much`);
    largeMs = Math.min(largeMs, cpuMs(large));
  }
}

/** CPU time, which does not depend on other processes. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
