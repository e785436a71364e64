import { field, member, parseJsonOrText, textOf } from "../json-fields.js";
import { observeRequests } from "../fetch/observe-requests.js";
import type { OpenModelCall } from "./open-model-call.js";
import type { OperationRun } from "./operation-run.js";

/**
 * Follows the requests of a model call of AI SDK 6, which reports neither errors nor the first token. An error ends the
 * operation, unless the AI SDK tries again.
 *
 * @param maxRetries - as the operation has started with.
 */
export function followRequests(run: OperationRun, call: OpenModelCall, maxRetries: unknown): void {
  const fail = (error: unknown, isRetryable: boolean): void => {
    call.failAttempt(error);
    if (run.call === call && !(isRetryable && call.attempts <= Number(maxRetries))) run.fail(error);
  };
  observeRequests(call.span, {
    onRequest: () => call.startAttempt(),
    onFailed(error) {
      const isRetryable = error instanceof TypeError;
      const cause = isRetryable && textOf(member(error.cause, "message"));
      // What the AI SDK throws without a response.
      fail(cause ? apiCallError(`Cannot connect to API: ${cause}`, { cause: error }) : error, isRetryable);
    },
    onRefused(status, body) {
      fail(refusal(body, status), status >= 500 || [408, 409, 429].includes(status));
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
  const message = textOf(field(error, "message")) ?? textOf(error) ?? textOf(field(content, "message"));
  return apiCallError(message ?? `The status is ${statusCode}.`, { statusCode });
}

function apiCallError(message: string, details: object): Error {
  const name = "AI_APICallError";
  // The stack is the one of the SDK, and says nothing.
  return Object.assign(new Error(message), { name, stack: `${name}: ${message}` }, details);
}
