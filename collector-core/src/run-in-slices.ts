import type { Steps } from "./span/steps.js";
import type { TimeSlice } from "./time-slice.js";

/** Does all steps, in slices. */
export async function runInSlices<Result>(steps: Steps<Result>, timeSlice: TimeSlice): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (timeSlice.isOver()) await timeSlice.next();
  }
}
