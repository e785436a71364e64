import { field, member, numberOf, textOf } from "../json-fields.js";
import { codeText } from "../wire/response-failure.js";
import { definedOnly, type ReadAttributes } from "./read-attributes.js";

/**
 * Attributes of a client error, in addition to its class and message. An error inside a stream has no HTTP status and a
 * general class. Its `type` and `code` become the error type, so that the error gets its category.
 */
export function describeApiError(error: unknown): ReadAttributes {
  const status = numberOf(field(error, "status"));
  const code = codeText(field(error, "code"));
  const type = textOf(field(error, "type"));
  const className = textOf(member(member(error, "constructor"), "name"));
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
  const className = textOf(member(member(error, "constructor"), "name"));
  return className === "APIUserAbortError" || member(error, "name") === "AbortError";
}
