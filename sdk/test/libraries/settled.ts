/** Turns of the event loop in which what an app has started comes to its end, in this process. */
const TURNS = 20;

/** Resolves when what follows a run has happened. It counts turns, not time, which passes without any on a busy machine. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}
