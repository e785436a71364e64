import type { Clock } from "./clock.js";

/** Turns of the event loop at most that work leaves to new connections. */
const MAX_TURNS_FOR_CONNECTIONS = 32;

let connections = 0;

/** Tells that the event loop has taken a new connection. */
export function noteConnection(): void {
  connections++;
}

/**
 * Calls back after the event loop has looked at its sockets and timers, and has taken the connections that wait. The loop
 * takes one connection in each turn, and reads from it in the next one: were each turn filled with work, a probe would
 * wait for as many pieces of work as there are connections before it.
 */
export function onNextTurn(goOn: () => void): void {
  let turnsLeft = MAX_TURNS_FOR_CONNECTIONS;
  let known = connections;
  const onTurn = (): void => {
    if (connections === known || turnsLeft === 0) {
      goOn();
      return;
    }
    known = connections;
    turnsLeft--;
    setImmediate(onTurn);
  };
  setImmediate(onTurn);
}

/** The same as a promise. */
export function nextTurn(): Promise<void> {
  return new Promise(onNextTurn);
}

/** What {@link createTurnIfDue} needs. */
export interface TurnIfDueOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** How long work may hold the event loop. */
  readonly sliceMs: number;
  /** How the work lets the loop turn. */
  readonly nextTurn: () => Promise<void>;
}

/**
 * Lets the event loop turn when the work since its last turn has taken a slice. Ingestion works by this one: it waits for
 * one turn. A question works by `TimeSlice`: it also waits for every question before it.
 *
 * @returns the turn to wait for; undefined where none is due.
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
