import type { ServerResponse } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import type { TraceStore } from "../interfaces.js";
import { RequestAborted } from "../runtime/request-aborted.js";

/** A signal that aborts when the client disconnects before the response is complete. */
export function whileConnected(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort(new RequestAborted());
  });
  return controller.signal;
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
