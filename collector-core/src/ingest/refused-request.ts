import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ApiError } from "../api-schema/errors.js";
import { keptText, truncateCodePoints } from "../span/kept-text.js";

/** Log entry of a refused request, without its body. */
export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly client: string;
  readonly user_agent: string;
}

/** Maximum characters of the path and the user agent. */
const MAX_LENGTH = 128;
/** Statuses of refused queries that are logged: unauthorized, too slow, too many. */
const LOGGED_QUERY_STATUSES = new Set([401, 403, 408, 429, 431]);

/** Returns true for a refusal to log. An invalid query is not logged: its client has the response. */
export function shouldLogRefusal(method: string | undefined, status: number): boolean {
  const isQuery = method === "GET" || method === "HEAD";
  return !isQuery || status >= 500 || LOGGED_QUERY_STATUSES.has(status);
}

export function refusedRequest(request: IncomingMessage, error: ApiError): RefusedRequest {
  return {
    method: request.method ?? "",
    path: keptText((request.url ?? "").split("?", 1)[0] ?? "", MAX_LENGTH),
    ...answered(error),
    client: request.socket.remoteAddress ?? "",
    user_agent: truncateCodePoints(request.headers["user-agent"] ?? "", MAX_LENGTH),
  };
}

/** Log entry of a connection that did not send HTTP/1.1, such as gRPC or TLS. */
export function refusedConnection(error: ApiError, socket: Socket): RefusedRequest {
  return { method: "", path: "", ...answered(error), client: socket.remoteAddress ?? "", user_agent: "" };
}

function answered({ status, code, message }: ApiError) {
  return { status, code, message };
}
