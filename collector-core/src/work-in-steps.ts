/** Long work that stops after each step, so that whoever runs it may let others go on. */
export type WorkInSteps<Result> = Generator<undefined, Result>;

/** Does all steps at once. */
export function runAtOnce<Result>(work: WorkInSteps<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Does the steps in turns of the event loop.
 *
 * @param turnIfDue - the turn to wait for before the next step; undefined where none is due.
 */
export async function runInTurns<Result>(
  work: WorkInSteps<Result>,
  turnIfDue: () => Promise<void> | undefined,
): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const turn = turnIfDue();
    if (turn !== undefined) await turn;
  }
}
