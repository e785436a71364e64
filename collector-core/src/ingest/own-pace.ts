import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Requests that are exempt from the request timeout of the server, because their route limits the speed of the body. Node
 * has one request timeout for all routes; when it expires, the server calls {@link spares} before it ends a connection.
 */
export interface OwnPace {
  /** Exempts a request. */
  begin(request: IncomingMessage): void;
  /** Ends the exemption, even if the body is incomplete. */
  end(request: IncomingMessage): void;
  /** Returns true for the request timeout of a connection with exempt requests. */
  spares(error: Error & { code?: string }, socket: Socket): boolean;
}

/** A connection with exempt requests; pipelining allows more than one. */
interface Begun {
  requests: number;
  /** Idle timeout of the connection before the exemption. */
  readonly timeoutMs: number | undefined;
}

/** Time for the rest of a body after its response. */
const REST_MS = 15_000;

export function createOwnPace(restMs = REST_MS): OwnPace {
  const begun = new Map<Socket, Begun>();

  return {
    begin({ socket }) {
      const before = begun.get(socket);
      if (before === undefined) begun.set(socket, { requests: 1, timeoutMs: socket.timeout });
      else before.requests++;
      // The connection is idle while a long line is processed.
      socket.setTimeout(0);
    },
    end(request) {
      const { socket } = request;
      const ofSocket = begun.get(socket);
      if (ofSocket !== undefined && --ofSocket.requests === 0) {
        begun.delete(socket);
        socket.setTimeout(ofSocket.timeoutMs ?? 0);
      }
      if (request.complete) return;
      // Node checks the timeout of a request once, and that check may be over.
      const timer = setTimeout(() => {
        if (!request.complete) socket.destroy();
      }, restMs).unref();
      socket.once("close", () => clearTimeout(timer));
    },
    spares: (error, socket) => error.code === "ERR_HTTP_REQUEST_TIMEOUT" && begun.has(socket),
  };
}
