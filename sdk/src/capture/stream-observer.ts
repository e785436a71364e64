/** How a stream came to its end: read to the finish, given up by its reader, or broken. */
export type StreamEnd =
  | { readonly type: "finished" }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly error: unknown };

/**
 * Watches a stream go by. Whatever it throws is swallowed: watching must not break the reading.
 *
 * @typeParam Chunk - what the stream carries.
 */
export interface StreamObserver<Chunk> {
  /**
   * Sees a chunk before the reader does.
   *
   * @returns false to hide the chunk from the reader (async iterators only): it gets the next one in its place.
   */
  onChunk(chunk: Chunk): boolean | undefined;
  /** Called once, when the stream has ended in whatever way. */
  onEnd(end: StreamEnd): void;
}

/** Shows a chunk to an observer; true where the reader should get it. */
export function showChunk<Chunk>(observer: StreamObserver<Chunk>, chunk: Chunk): boolean {
  try {
    return observer.onChunk(chunk) !== false;
  } catch {
    return true;
  }
}

/** Tells an observer of the end, the first time only. */
export function endOnce<Chunk>(observer: StreamObserver<Chunk>): (end: StreamEnd) => void {
  let ended = false;
  return (end) => {
    if (ended) return;
    ended = true;
    try {
      observer.onEnd(end);
    } catch {
      // Watching must not break the reading.
    }
  };
}
