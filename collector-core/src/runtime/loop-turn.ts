import type { Clock } from "./clock.js";

/** Maximum turns of the event loop that work yields to new connections. */
const MAX_TURNS_FOR_CONNECTIONS = 32;

let connections = 0;

/** Records that the event loop has accepted a connection. */
export function noteConnection(): void {
  connections++;
}

/**
 * Calls back after the event loop has polled its sockets and timers, and has accepted the pending connections. The loop
 * accepts one connection per turn and reads from it in the next turn. If every turn were filled with work, a probe would
 * wait for one piece of work per connection before it.
 */
export function onNextTurn(callback: () => void): void {
  let turnsLeft = MAX_TURNS_FOR_CONNECTIONS;
  let known = connections;
  const onTurn = (): void => {
    if (connections === known || turnsLeft === 0) {
      callback();
      return;
    }
    known = connections;
    turnsLeft--;
    setImmediate(onTurn);
  };
  setImmediate(onTurn);
}

/** {@link onNextTurn} as a promise. */
export function nextTurn(): Promise<void> {
  return new Promise(onNextTurn);
}

/** Options of {@link createTurnIfDue}. */
export interface TurnIfDueOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Time that work may block the event loop. */
  readonly sliceMs: number;
  /** Yields to the event loop. */
  readonly nextTurn: () => Promise<void>;
}

/**
 * Yields to the event loop when the work since the last turn has used up its slice. Ingestion uses this function and waits
 * for one turn. Queries use `TimeSlice` and also wait for the queries before them.
 *
 * @returns the promise of the turn; undefined if none is due.
 */
export function createTurnIfDue(options: TurnIfDueOptions): () => Promise<void> | undefined {
  const { clock, sliceMs } = options;
  let endsAtMs = clock.monotonic() + sliceMs;
  return () => {
    if (clock.monotonic() < endsAtMs) return undefined;
    return options.nextTurn().then(() => {
      endsAtMs = clock.monotonic() + sliceMs;
    });
  };
}
