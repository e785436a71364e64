export interface ThrottleOptions {
  readonly run: () => Promise<void>;
  /** The least time between the end of a run and the next run. */
  readonly intervalMs: number;
  /** A slow run is followed by a rest of this many times its duration, so that the collector can do other work. */
  readonly restFactor: number;
  readonly schedule: (task: () => void, delayMs: number) => void;
  /** In milliseconds. */
  readonly now: () => number;
}

/** Runs a task when it is requested, at most once in an interval. Requests in between are joined into one run. */
export function createThrottle({ run, intervalMs, restFactor, schedule, now }: ThrottleOptions): {
  request(): void;
} {
  let state: "idle" | "scheduled" | "running" = "idle";
  let isRequestedAgain = false;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  async function runNow(): Promise<void> {
    state = "running";
    const startedAtMs = now();
    await run();
    nextAtMs = now() + Math.max(intervalMs, (now() - startedAtMs) * restFactor);
    state = "idle";
    if (isRequestedAgain) request();
  }

  function request(): void {
    isRequestedAgain = state === "running";
    if (state !== "idle") return;
    state = "scheduled";
    schedule(() => void runNow(), Math.max(0, nextAtMs - now()));
  }
  return { request };
}
