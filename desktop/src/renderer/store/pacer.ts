/** What {@link createPacer} paces. */
export interface PacerOptions {
  readonly run: () => Promise<void>;
  /** Between the end of a run and the next one at least. */
  readonly intervalMs: number;
  readonly schedule: (task: () => void, delayMs: number) => void;
  /** A run that takes long is followed by a rest this many times as long: the collector has other things to do. */
  readonly restFactor: number;
  /** In milliseconds. */
  readonly now: () => number;
}

/** Runs something when it is asked for, but not too often: requests in between become one run. */
export function createPacer({ run, intervalMs, restFactor, schedule, now }: PacerOptions): {
  request(): void;
} {
  let state: "idle" | "scheduled" | "running" = "idle";
  let isAskedAgain = false;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  async function runNow(): Promise<void> {
    state = "running";
    const startedAtMs = now();
    await run();
    nextAtMs = now() + Math.max(intervalMs, (now() - startedAtMs) * restFactor);
    state = "idle";
    if (isAskedAgain) request();
  }

  function request(): void {
    isAskedAgain = state === "running";
    if (state !== "idle") return;
    state = "scheduled";
    schedule(() => void runNow(), Math.max(0, nextAtMs - now()));
  }
  return { request };
}
