import type { Clock } from "./clock.js";

/** Returns a function that calls `log` at most once per interval and ignores other calls. */
export function throttle<T>(
  intervalMs: number,
  clock: Pick<Clock, "monotonic">,
  log: (value: T) => void,
): (value: T) => void {
  let lastCallMs = -Infinity;
  return (value) => {
    if (clock.monotonic() - lastCallMs < intervalMs) return;
    lastCallMs = clock.monotonic();
    log(value);
  };
}
