/** Runs what it is given: at once where nothing ran in this turn of the event loop yet, else in a later one, in order. */
export type InLoopTurn = (run: () => void) => void;

/**
 * Spreads questions over turns of the event loop. Each may take tens of milliseconds; when hundreds of connections ask at
 * the same time, all of them are ready in one turn, and probes and ingestion would wait for all.
 */
export function createQuestionTurns(): InLoopTurn {
  const waiting: (() => void)[] = [];
  let hasRun = false;

  function next(): void {
    const run = waiting.shift();
    if (run === undefined) {
      hasRun = false;
      return;
    }
    setImmediate(next);
    run();
  }

  return (run) => {
    if (hasRun) {
      waiting.push(run);
      return;
    }
    hasRun = true;
    setImmediate(next);
    run();
  };
}
