/** A part that is started and stopped with the collector. */
export interface StartedPart {
  start?(): void | Promise<void>;
  /** @param deadlineMs - monotonic: what has not ended by then is given up. Safe twice, and before `start()`. */
  stop(deadlineMs: number): void | Promise<void>;
}

/** Starts parts in their order. */
export async function startInOrder(parts: readonly StartedPart[]): Promise<void> {
  for (const part of parts) await part.start?.();
}

/** Stops parts in the reverse of the order in which they are started. */
export async function stopInReverse(parts: readonly StartedPart[], deadlineMs: number): Promise<void> {
  for (const part of parts.toReversed()) await part.stop(deadlineMs);
}
