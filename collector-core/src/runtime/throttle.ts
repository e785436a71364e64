import type { Clock } from "./clock.js";

/** Calls `say` at most once in a while: what happens often must not bury the rest of the log. */
export function throttle<T>(
  intervalMs: number,
  clock: Pick<Clock, "monotonic">,
  say: (what: T) => void,
): (what: T) => void {
  let saidAtMs = -Infinity;
  return (what) => {
    if (clock.monotonic() - saidAtMs < intervalMs) return;
    saidAtMs = clock.monotonic();
    say(what);
  };
}
