import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../api-schema/errors.js";

/** Requests that a client may send on one connection before it has had the answer to the first of them. */
const MAX_PIPELINED = 16;

/**
 * Bounds what one connection may ask for at a time. Node reads all requests that a client sends ahead, and would let all
 * of them be answered at once, each answer held in memory until those before it have been read.
 */
export interface PipelinedRequests {
  /** A request begins. @returns false where too many of its connection are under way: it is to be refused. */
  begin(request: IncomingMessage): boolean;
  /** It has been answered: once for each that began. */
  end(request: IncomingMessage): void;
}

export function createPipelinedRequests(): PipelinedRequests {
  const underWay = new WeakMap<Socket, number>();
  return {
    begin({ socket }) {
      const count = underWay.get(socket) ?? 0;
      if (count >= MAX_PIPELINED) return false;
      underWay.set(socket, count + 1);
      return true;
    },
    end({ socket }) {
      underWay.set(socket, (underWay.get(socket) ?? 1) - 1);
    },
  };
}

/** The answer to a request that is sent too far ahead. */
export function tooFarAhead(): ApiError {
  return new ApiError(
    "overloaded",
    `A connection may have ${MAX_PIPELINED} requests under way; send the next when one of them is answered.`,
    { max_requests_under_way: MAX_PIPELINED },
    { "Retry-After": "1" },
  );
}

/** Runs `answer` when the answers before it on the connection have been read: Node gives it the socket then. */
export function whenFirstOfConnection(response: ServerResponse, answer: () => void): void {
  if (response.socket === null) response.once("socket", answer);
  else answer();
}
