import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { ApiError } from "../api-schema/errors.js";

/** Handles a request; `unmet` is its answer where it expects what is not known here. */
export type HandleExpecting = (request: IncomingMessage, response: ServerResponse, unmet?: ApiError) => void;

/**
 * Handles requests that have an Expect header, which Node would answer by itself: an unknown expectation without a body,
 * and `100-continue` before anything is known of the request.
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

/** Asks for the body when somebody begins to read it: what is refused by its head is never sent. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.on("newListener", function onListener(event: string | symbol) {
    if (event !== "data" && event !== "readable") return;
    request.off("newListener", onListener);
    if (!response.headersSent && response.writable) response.writeContinue();
  });
}

function expectationFailed(expectation = ""): ApiError {
  const shown = JSON.stringify(expectation.slice(0, 64));
  // The body may come or not: nothing behind it can be told from it.
  const headers = { Connection: "close" };
  return new ApiError("expectation_failed", `Expect must be 100-continue, got ${shown}.`, {}, headers);
}
