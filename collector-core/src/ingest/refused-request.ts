import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ApiError } from "../api-schema/errors.js";
import { keptText, truncateCodePoints } from "../span/kept-text.js";

/** A request that was refused: what it was, never what was in it. */
export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly client: string;
  readonly user_agent: string;
}

/** Characters kept of what comes from outside. */
const MAX_LENGTH = 128;
/** Of those who only ask, who may not, or asks too much, or cannot be served. */
const TOLD_OF_QUESTIONS = new Set([401, 403, 408, 429, 431]);

/** True for a refusal that somebody looks for: a question that was wrong has told who asked it. */
export function isWorthTelling(method: string | undefined, status: number): boolean {
  const isQuestion = method === "GET" || method === "HEAD";
  return !isQuestion || status >= 500 || TOLD_OF_QUESTIONS.has(status);
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

/** What could not be read as a request: gRPC on this port, or TLS. */
export function refusedConnection(error: ApiError, socket: Socket): RefusedRequest {
  return { method: "", path: "", ...answered(error), client: socket.remoteAddress ?? "", user_agent: "" };
}

function answered({ status, code, message }: ApiError) {
  return { status, code, message };
}
