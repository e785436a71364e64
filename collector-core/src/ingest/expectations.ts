import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { ApiError } from "../api-schema/errors.js";

/** Handles a request; `unmet` is the error for an unknown expectation. */
export type HandleExpecting = (request: IncomingMessage, response: ServerResponse, unmet?: ApiError) => void;

/**
 * Handles requests with an Expect header. By default Node answers an unknown expectation without a body, and sends
 * `100 Continue` before the request is checked.
 */
export function handleExpectations(server: Server, handle: HandleExpecting): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    continueWhenRead(request, response);
    handle(request, response);
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response, expectationFailed(request.headers.expect));
  });
}

/** Sends `100 Continue` when the body is first read, so that the client does not send the body of a refused request. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.on("newListener", function onListener(event: string | symbol) {
    if (event !== "data" && event !== "readable") return;
    request.off("newListener", onListener);
    if (!response.headersSent && response.writable) response.writeContinue();
  });
}

function expectationFailed(expectation = ""): ApiError {
  const shown = JSON.stringify(expectation.slice(0, 64));
  // The client may or may not send the body, so the start of a next request is unknown.
  const headers = { Connection: "close" };
  return new ApiError("expectation_failed", `Expect must be 100-continue, got ${shown}.`, {}, headers);
}
