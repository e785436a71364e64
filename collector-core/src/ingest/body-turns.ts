import { ApiError } from "../api-schema/errors.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { nextTurn } from "../runtime/loop-turn.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";

/** Bodies that are decompressed at once. Each may grow to the limit before it is found too large. */
const MAX_DECOMPRESSING = 3;
/** Requests that wait for a turn at most. */
const MAX_WAITING = 256;
/** A request that waits longer is refused, while its sender is still there to read the answer. */
const MAX_WAIT_MS = 5000;

/** A place in the line: its signal is aborted when the request waits no more. */
export interface Wait {
  /** Aborted with why: the connection closed, or it took too long. */
  readonly signal: AbortSignal;
}

/** Spreads work on bodies over turns of the event loop: everything else is served in between. */
export interface BodyTurns {
  /**
   * Lets a body that costs much wait for its turn.
   *
   * @throws `ApiError` overloaded where too many wait, or one of them too long; the reason of `connection`.
   */
  wait<T>(connection: AbortSignal, task: (wait: Wait) => Promise<T>): Promise<T>;
  /** Runs when fewer than {@link MAX_DECOMPRESSING} do. */
  decompress<T>(wait: Wait, task: () => Promise<T>): Promise<T>;
  /** Runs when no other does, from the beginning of a turn of the event loop on. */
  parse<T>(wait: Wait, task: () => MaybePromise<T>): Promise<T>;
}

export function createBodyTurns(maxWaitMs = MAX_WAIT_MS): BodyTurns {
  const decompressInTurn = createConcurrencyLimit(MAX_DECOMPRESSING);
  const parseInTurn = createConcurrencyLimit(1);
  let waiting = 0;

  return {
    async wait(connection, task) {
      connection.throwIfAborted();
      if (waiting >= MAX_WAITING) throw tooManyBodies();
      waiting++;
      const ended = new AbortController();
      const leave = (): void => ended.abort(connection.reason);
      const timer = setTimeout(() => ended.abort(tooManyBodies()), maxWaitMs);
      connection.addEventListener("abort", leave, { once: true });
      try {
        return await task(ended);
      } finally {
        waiting--;
        clearTimeout(timer);
        connection.removeEventListener("abort", leave);
      }
    },
    decompress: ({ signal }, task) => decompressInTurn(task, signal),
    parse: ({ signal }, task) =>
      parseInTurn(async () => {
        await nextTurn();
        signal.throwIfAborted();
        return task();
      }, signal),
  };
}

/** The answer to a body that would wait too long. */
function tooManyBodies(): ApiError {
  return new ApiError(
    "overloaded",
    `More large or compressed bodies wait for their turn than are read within ${MAX_WAIT_MS / 1000} seconds. Try again later.`,
    { max_waiting_bodies: MAX_WAITING },
    { "Retry-After": "2" },
  );
}
