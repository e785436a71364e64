import { field, member, numberOf, parseJsonOrText, textOf } from "../json-fields.js";
import { observeRequests } from "../fetch/observe-requests.js";
import type { OpenModelCall } from "./open-model-call.js";
import type { OperationRun } from "./operation-run.js";

/** How often the AI SDK tries again by default. */
const DEFAULT_RETRIES = 2;

/**
 * Follows the requests of a model call of AI SDK 6, which reports neither errors nor the first token. An error ends the
 * operation, unless the AI SDK tries again.
 *
 * @param maxRetries - as the operation has started with.
 */
export function followRequests(run: OperationRun, call: OpenModelCall, maxRetries: unknown): void {
  const attempts = 1 + (numberOf(maxRetries) ?? DEFAULT_RETRIES);
  const fail = (error: unknown, isRetryable: boolean): void => {
    call.failAttempt(error);
    if (run.call === call && !(isRetryable && call.attempts < attempts)) run.fail(error);
  };
  observeRequests(call.span, {
    onRequest: () => call.startAttempt(),
    onFailed(error) {
      // What the AI SDK makes of an error without a response.
      const isRetryable = error instanceof TypeError;
      const cause = textOf(member(member(error, "cause"), "message"));
      const failure =
        isRetryable && cause !== undefined
          ? apiCallError(`Cannot connect to API: ${cause}`, { cause: error })
          : error;
      fail(failure, isRetryable);
    },
    onRefused(status, body) {
      fail(refusal(body, status), status === 408 || status === 409 || status === 429 || status >= 500);
    },
    onChunk(chunk) {
      const error = field(chunk, "error") ?? undefined;
      if (error === undefined) call.addChunk(chunk);
      else call.failAttempt(refusal(JSON.stringify(chunk)));
    },
    onEnd(end) {
      if (end.type !== "failed" || run.call !== call) return;
      if (member(end.error, "name") === "AbortError") run.abort();
      else fail(end.error, false);
    },
  });
}

/** The error that the AI SDK throws for a response. */
function refusal(body: string, statusCode?: number): Error {
  const content = parseJsonOrText(body);
  const error = field(content, "error");
  const texts = [field(error, "message"), error, field(content, "message")];
  const message = texts.map(textOf).find((text) => text !== undefined);
  return apiCallError(message ?? `The status is ${statusCode}.`, { statusCode });
}

function apiCallError(message: string, details: object): Error {
  const name = "AI_APICallError";
  // The stack is the one of the SDK, and says nothing.
  return Object.assign(new Error(message), { name, stack: `${name}: ${message}` }, details);
}
