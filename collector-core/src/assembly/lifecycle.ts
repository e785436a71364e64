/** A part that starts and stops with the collector. */
export interface StartedPart {
  start?(): void | Promise<void>;
  /**
   * May be called twice, and before `start()`.
   *
   * @param deadlineMs - monotonic time at which unfinished work is abandoned.
   */
  stop(deadlineMs: number): void | Promise<void>;
}

/** Starts parts in order. */
export async function startInOrder(parts: readonly StartedPart[]): Promise<void> {
  for (const part of parts) await part.start?.();
}

/** Stops parts in reverse order. */
export async function stopInReverse(parts: readonly StartedPart[], deadlineMs: number): Promise<void> {
  for (const part of parts.toReversed()) await part.stop(deadlineMs);
}
