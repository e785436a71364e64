import type { Clock } from "./interfaces.js";

/** Resolves after the event loop has looked at its sockets and timers. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
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
