import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../api-schema/errors.js";

/**
 * Responds to bytes that are not a valid request with an error (contract 2), and closes the connection.
 *
 * @returns undefined if the client has disconnected.
 */
export function answerBadHttp(error: Error & { code?: string }, socket: Socket): ApiError | undefined {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const answer = errorFor(error.code);
  const body = JSON.stringify(answer.toBody());
  socket.end(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
      "Content-Type: application/json; charset=utf-8",
      "X-Content-Type-Options: nosniff",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  return answer;
}

function errorFor(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("headers_too_large", "The head of the request is larger than 16 KiB.");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ApiError("request_timeout", "The request took longer than 15 seconds to arrive.");
  }
  return new ApiError("invalid_http", "The request is not valid HTTP.");
}
