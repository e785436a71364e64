import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { ApiError } from "../api-schema/errors.js";
import type { TraceStore } from "../interfaces.js";
import { RequestAborted } from "../runtime/request-aborted.js";

/** The trace store must answer within this time. The server closes a connection without traffic after 20 seconds. */
const ANSWER_MS = 15_000;
const RETRY_LATER = { "Retry-After": "5" } as const;
/** A stream that fails before its first byte has listeners of two responses of Fastify. The default of Node is 10. */
const MAX_LISTENERS = 16;

/** A signal that aborts when the client disconnects before the response is complete. */
export function whileConnected(response: ServerResponse): AbortSignal {
  return signalOf(response, new AbortController());
}

/**
 * The same for questions to the trace store. It also aborts, with `ApiError` trace_store_unavailable, if nothing of the
 * response was sent after 15 seconds.
 */
export function whileAnswering(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    if (!response.headersSent) controller.abort(noAnswer());
  }, ANSWER_MS);
  return signalOf(response, controller, timer);
}

function signalOf(
  response: ServerResponse,
  controller: AbortController,
  timer?: NodeJS.Timeout,
): AbortSignal {
  response.setMaxListeners(MAX_LISTENERS);
  response.once("close", () => {
    clearTimeout(timer);
    if (!response.writableFinished) controller.abort(new RequestAborted());
  });
  return controller.signal;
}

function noAnswer(): ApiError {
  const problem = `There was no answer within ${ANSWER_MS / 1000} seconds: the trace store is busy, or what was asked for is very large. Try again later, or with more filters.`;
  return new ApiError("trace_store_unavailable", problem, {}, RETRY_LATER);
}

/** The result, unless the signal aborts before. @throws the reason of the signal. */
export async function orAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let stopWaiting = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    stopWaiting = () => signal.removeEventListener("abort", abort);
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    stopWaiting();
  }
}

/** Lets a request take as long as it needs: the server closes other connections without traffic. */
export function allowSilence({ socket }: FastifyRequest): void {
  socket.setTimeout(0);
}

/** The signal of a request that may take as long as it needs: it aborts only when the client disconnects. */
export function withoutTimeLimit(request: FastifyRequest, response: ServerResponse): AbortSignal {
  allowSilence(request);
  return whileConnected(response);
}

/** Calls `end` when the response is sent or the client disconnects; at once if that has already happened. */
export function whenClosed(response: ServerResponse, end: () => void): void {
  if (response.destroyed || response.writableFinished) end();
  else response.once("close", end);
}

/** Returns the store. @throws `ApiError` trace_store_disabled if there is none. */
export function requiredStore(store: TraceStore | undefined): TraceStore {
  if (store !== undefined) return store;
  throw new ApiError("trace_store_disabled", "The trace store is off: trace_store.enabled is false.");
}

export function traceNotFound(traceId: string): ApiError {
  return new ApiError(
    "trace_not_found",
    `Trace ${shownId(traceId)} is not in the store: it was never received, or was evicted.`,
  );
}

/** An id, quoted and truncated for an error message. */
export function shownId(id: string): string {
  return JSON.stringify(id.slice(0, 128));
}
