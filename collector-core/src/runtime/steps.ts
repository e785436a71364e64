import type { Steps } from "../steps/steps.js";
import type { MaybePromise } from "./maybe-promise.js";
import type { TimeSlice } from "./time-slice.js";

export { runSteps as runAtOnce, type Steps } from "../steps/steps.js";

/** Steps that may also wait for something: they yield its promise, which must not reject. See {@link waitFor}. */
export type WaitingSteps<Result> = Generator<Promise<void> | undefined, Result>;

/** Waits for a value, if it is a promise. */
export function* waitFor<T>(value: MaybePromise<T>): WaitingSteps<T> {
  if (!(value instanceof Promise)) return value;
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  yield value.then(
    (resolved) => void (outcome = { value: resolved }),
    (error: unknown) => void (outcome = { error }),
  );
  if (outcome === undefined) throw new Error("The steps went on before their promise had resolved.");
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

/** Runs all steps synchronously, as far as they do not wait. */
export function runWaiting<Result>(steps: WaitingSteps<Result>): MaybePromise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) return step.value.then(() => runWaiting(steps));
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
  steps: WaitingSteps<Result>,
  turnIfDue: () => Promise<void> | undefined,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = step.value ?? turnIfDue();
    if (turn !== undefined) await turn;
  }
}
