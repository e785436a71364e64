import { field, numberOf, textOf } from "../json-fields.js";
import type { ResponseFailure } from "../model-client/operation.js";
import { definedOnly, type ReadAttributes } from "../model-client/read-attributes.js";

/**
 * Attributes of a client error, in addition to its class and message. An error inside a stream has no HTTP status and a
 * general class. Its `type` and `code` become the error type, so that the error gets its category.
 */
export function describeApiError(error: unknown): ReadAttributes {
  const status = numberOf(field(error, "status"));
  const code = codeText(field(error, "code"));
  const type = textOf(field(error, "type"));
  const className = textOf(field(field(error, "constructor"), "name"));
  const isGeneralClass = className === "APIError" || className === "ConflictError";
  const details = [type, code, status].filter((detail) => detail !== undefined);
  return definedOnly({
    status_code: status,
    error_code: code,
    request_id: textOf(field(error, "requestID")) ?? textOf(field(error, "request_id")),
    error_type: isGeneralClass && details.length > 0 ? [className, ...details].join(" ") : undefined,
  });
}

/** True if the app cancelled the call. */
export function isUserAbort(error: unknown): boolean {
  const className = textOf(field(field(error, "constructor"), "name"));
  return className === "APIUserAbortError" || field(error, "name") === "AbortError";
}

/**
 * The error in a response with HTTP status 200. Gateways such as OpenRouter put it into the body or into a choice, if the
 * model's provider fails after the response has started. The client does not throw.
 *
 * @param errors - the values of the fields that can hold an error.
 */
export function failureIn(errors: readonly unknown[]): ResponseFailure | undefined {
  for (const error of errors) {
    const type = [textOf(field(error, "type")), codeText(field(error, "code"))].filter(Boolean).join(" ");
    const message = textOf(error) ?? textOf(field(error, "message"));
    if (type === "" && message === undefined) continue;
    return { type: type || "error", message: message ?? "The response has an error." };
  }
  return undefined;
}

/** OpenRouter's error codes are numbers. */
function codeText(code: unknown): string | undefined {
  return typeof code === "number" ? String(code) : textOf(code);
}
