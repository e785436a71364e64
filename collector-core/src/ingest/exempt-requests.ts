import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Requests that are exempt from the request timeout of the server, because their route limits the speed of the body. Node
 * has one request timeout for all routes; when it expires, the server calls {@link isExempt} before it ends a connection.
 */
export interface ExemptRequests {
  /** Exempts a request. */
  begin(request: IncomingMessage): void;
  /** Ends the exemption, even if the body is incomplete. */
  end(request: IncomingMessage): void;
  /** Returns true for the request timeout of a connection with exempt requests. */
  isExempt(error: Error & { code?: string }, socket: Socket): boolean;
}

/** A connection with exempt requests; pipelining allows more than one. */
interface ExemptConnection {
  requests: number;
  /** Idle timeout of the connection before the exemption. */
  readonly timeoutMs: number | undefined;
}

/** Time for the rest of a body after its response. */
const REST_MS = 15_000;

export function createExemptRequests(restMs = REST_MS): ExemptRequests {
  const exempt = new Map<Socket, ExemptConnection>();

  return {
    begin({ socket }) {
      const before = exempt.get(socket);
      if (before === undefined) exempt.set(socket, { requests: 1, timeoutMs: socket.timeout });
      else before.requests++;
      // The connection is idle while a long line is processed.
      socket.setTimeout(0);
    },
    end(request) {
      const { socket } = request;
      const connection = exempt.get(socket);
      if (connection !== undefined && --connection.requests === 0) {
        exempt.delete(socket);
        socket.setTimeout(connection.timeoutMs ?? 0);
      }
      if (request.complete) return;
      // Node checks the timeout of a request once, and that check may be over.
      const timer = setTimeout(() => {
        if (!request.complete) socket.destroy();
      }, restMs).unref();
      socket.once("close", () => clearTimeout(timer));
    },
    isExempt: (error, socket) => error.code === "ERR_HTTP_REQUEST_TIMEOUT" && exempt.has(socket),
  };
}
