import type { SpanHandle } from "../../capture/integration.js";
import { field, member, numberOf } from "../json-fields.js";

/**
 * Marks a span as failed. The error of the attempt is the same object on the model call and on the spans around it, so that
 * it counts once.
 *
 * @param hidesContent - true if the app turned the recording of inputs or outputs off: the provider's message may quote them.
 */
export function recordFailure(span: SpanHandle, error: unknown, hidesContent: boolean): void {
  // After several attempts, the AI SDK throws an error that has the one of the last attempt.
  const cause = field(error, "lastError") ?? error;
  span.recordError(cause).setAttributes({
    status_code: numberOf(field(cause, "statusCode")),
    aborted: member(cause, "name") === "AbortError" || undefined,
    ...(hidesContent && { error_message: "", error_stack: "" }),
  });
}
