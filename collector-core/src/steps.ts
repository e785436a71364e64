import type { TimeSlice } from "./time-slice.js";

/** Long work that stops after each piece, so that whoever runs it can let others have their turn. */
export type Steps<Result> = Generator<undefined, Result>;

/** Does all steps, in slices. */
export async function runInSlices<Result>(
  steps: Steps<Result>,
  timeSlice: Pick<TimeSlice, "isOver" | "next">,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (timeSlice.isOver()) await timeSlice.next();
  }
}

/** Does all steps at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
