/** How a stream ended: read to its end, abandoned by its reader, or failed. */
export type StreamEnd =
  | { readonly type: "finished" }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly error: unknown };

/**
 * Observes a stream while the app reads it. Errors that it throws are ignored: observing must not break the reading.
 */
export interface StreamObserver<Chunk> {
  /**
   * Gets a chunk before the reader does.
   *
   * @returns false to hide the chunk from the reader, which gets the next one instead (async iterators only).
   */
  onChunk(chunk: Chunk): boolean | undefined;
  /** Called once, however the stream ends. */
  onEnd(end: StreamEnd): void;
}

/** Passes a chunk to an observer. Returns true if the reader should get it. */
export function notifyChunk<Chunk>(observer: StreamObserver<Chunk>, chunk: Chunk): boolean {
  try {
    return observer.onChunk(chunk) !== false;
  } catch {
    return true;
  }
}

/** Returns a function that tells an observer of the end. Only the first call has an effect. */
export function createEndNotifier<Chunk>(observer: StreamObserver<Chunk>): (end: StreamEnd) => void {
  let ended = false;
  return (end) => {
    if (ended) return;
    ended = true;
    try {
      observer.onEnd(end);
    } catch {
      // Observing must not break the reading.
    }
  };
}
