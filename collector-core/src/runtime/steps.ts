import type { TimeSlice } from "./time-slice.js";

/** Long work that pauses after each step, so that its caller can yield to the event loop. */
export type Steps<Result> = Generator<undefined, Result>;

/** Runs all steps synchronously. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the steps of a query in time slices that all queries share. */
export function runInSlices<Result>(
  steps: Steps<Result>,
  timeSlice: Pick<TimeSlice, "isOver" | "next">,
): Promise<Result> {
  return runInTurns(steps, () => (timeSlice.isOver() ? timeSlice.next() : undefined));
}

/**
 * Runs the steps over several turns of the event loop.
 *
 * @param turnIfDue - returns the turn to wait for before the next step; undefined if none is due.
 */
export async function runInTurns<Result>(
  steps: Steps<Result>,
  turnIfDue: () => Promise<void> | undefined,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = turnIfDue();
    if (turn !== undefined) await turn;
  }
}
