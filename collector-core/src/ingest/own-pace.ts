import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Requests whose body may take longer than the server lets a request take, since their route bounds by itself how slowly it
 * comes. Node has one limit for all requests of a server; when it is over, the server asks here before it ends a connection.
 */
export interface OwnPace {
  /** A route takes the pace of a request over. */
  begin(request: IncomingMessage): void;
  /** It is done with the request, whether the body is there whole or not. */
  end(request: IncomingMessage): void;
  /** True for the time limit of a request that has its own. */
  spares(error: Error & { code?: string }, socket: Socket): boolean;
}

/** A connection with requests that have their own pace: a client may send one before the other is answered. */
interface Begun {
  requests: number;
  /** The time after which the server ends a connection on which nothing moves. */
  readonly timeoutMs: number | undefined;
}

/** What is left of a body whose request has been answered must be there within this. */
const REST_MS = 15_000;

export function createOwnPace(restMs = REST_MS): OwnPace {
  const begun = new Map<Socket, Begun>();

  return {
    begin({ socket }) {
      const before = begun.get(socket);
      if (before === undefined) begun.set(socket, { requests: 1, timeoutMs: socket.timeout });
      else before.requests++;
      // Nothing moves while a long line is worked on.
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
      // Node looks at the time limit of a request once, which may be over.
      const timer = setTimeout(() => {
        if (!request.complete) socket.destroy();
      }, restMs).unref();
      socket.once("close", () => clearTimeout(timer));
    },
    spares: (error, socket) => error.code === "ERR_HTTP_REQUEST_TIMEOUT" && begun.has(socket),
  };
}
