import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../api-schema/errors.js";

/** Maximum number of unanswered requests on a connection. */
const MAX_PIPELINED = 16;

/**
 * Limits the pipelined requests of a connection. Node reads all of them and runs them concurrently, and each response
 * stays in memory until the client has read those before it.
 */
export interface PipelinedRequests {
  /** Counts a request. @returns false if its connection has too many; the caller must refuse the request. */
  begin(request: IncomingMessage): boolean;
  /** Ends a counted request; call it once for each. */
  end(request: IncomingMessage): void;
}

export function createPipelinedRequests(): PipelinedRequests {
  const pending = new WeakMap<Socket, number>();
  return {
    begin({ socket }) {
      const count = pending.get(socket) ?? 0;
      if (count >= MAX_PIPELINED) return false;
      pending.set(socket, count + 1);
      return true;
    },
    end({ socket }) {
      pending.set(socket, (pending.get(socket) ?? 1) - 1);
    },
  };
}

/** The error for a request over the limit. */
export function tooManyPipelined(): ApiError {
  return new ApiError(
    "overloaded",
    `A connection may have ${MAX_PIPELINED} pending requests; send the next after a response.`,
    { max_requests_under_way: MAX_PIPELINED },
    { "Retry-After": "1" },
  );
}

/** Calls `answer` when the earlier responses of the connection are sent. Node then assigns the socket to the response. */
export function whenSocketAssigned(response: ServerResponse, answer: () => void): void {
  if (response.socket === null) response.once("socket", answer);
  else answer();
}
