import type { ServerResponse } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import type { TraceStore } from "../interfaces.js";
import { RequestAborted } from "../runtime/request-aborted.js";

/** Aborted when the client goes away: nobody then waits for the search. */
export function whileConnected(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort(new RequestAborted());
  });
  return controller.signal;
}

/** Calls `end` when the answer has left or its reader has: at once where that is so already. */
export function whenClosed(response: ServerResponse, end: () => void): void {
  if (response.destroyed || response.writableFinished) end();
  else response.once("close", end);
}

/** The store, where there is one. @throws `ApiError` trace_store_disabled. */
export function requiredStore(store: TraceStore | undefined): TraceStore {
  if (store !== undefined) return store;
  throw new ApiError("trace_store_disabled", "The trace store is off: trace_store.enabled is false.");
}

export function traceNotFound(traceId: string): ApiError {
  return new ApiError(
    "trace_not_found",
    `There is no trace ${shownId(traceId)} in the store: it never came, or was evicted.`,
  );
}

/** An id as it may stand in a message. */
export function shownId(id: string): string {
  return JSON.stringify(id.slice(0, 128));
}
