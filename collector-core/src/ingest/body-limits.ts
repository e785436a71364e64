import { ApiError } from "../api-schema/errors.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { nextTurn } from "../runtime/loop-turn.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";

/** Maximum number of concurrent decompressions. Each body may grow to the limit before it is refused. */
const MAX_DECOMPRESSING = 3;
/** Maximum number of waiting requests. */
const MAX_WAITING = 256;
/** Maximum time that a request waits. Shorter than usual client timeouts, so that the client reads the response. */
const MAX_WAIT_MS = 5000;

/** A waiting request. */
export interface Wait {
  /** Aborted when the connection closes or the wait times out; the reason is the error. */
  readonly signal: AbortSignal;
}

/** Spreads work on large bodies over turns of the event loop, so that other requests are served in between. */
export interface BodyLimits {
  /**
   * Runs a task that calls {@link decompress} or {@link parse} and limits how long it waits for them.
   *
   * @throws `ApiError` overloaded if too many requests wait or the wait times out; the reason of `connection`.
   */
  wait<T>(connection: AbortSignal, task: (wait: Wait) => Promise<T>): Promise<T>;
  /** Runs a task when fewer than {@link MAX_DECOMPRESSING} are running. */
  decompress<T>(wait: Wait, task: () => Promise<T>): Promise<T>;
  /** Runs one task at a time, each at the start of a turn of the event loop. */
  parse<T>(wait: Wait, task: () => MaybePromise<T>): Promise<T>;
}

export function createBodyLimits(maxWaitMs = MAX_WAIT_MS): BodyLimits {
  const limitDecompression = createConcurrencyLimit(MAX_DECOMPRESSING);
  const limitParsing = createConcurrencyLimit(1);
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
    decompress: ({ signal }, task) => limitDecompression(task, signal),
    parse: ({ signal }, task) =>
      limitParsing(async () => {
        await nextTurn();
        signal.throwIfAborted();
        return task();
      }, signal),
  };
}

/** The error for a body that would wait too long. */
function tooManyBodies(): ApiError {
  return new ApiError(
    "overloaded",
    `Too many large or compressed bodies are waiting: at most ${MAX_WAITING}, for ${MAX_WAIT_MS / 1000} seconds. Try again later.`,
    { max_waiting_bodies: MAX_WAITING },
    { "Retry-After": "2" },
  );
}
