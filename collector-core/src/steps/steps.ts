/** Long work that pauses after each step, so that its caller can let other work run in between. */
export type Steps<Result> = Generator<undefined, Result>;

/** Runs all steps at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
