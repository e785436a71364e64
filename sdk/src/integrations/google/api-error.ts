import { field, fieldsOf, member, numberOf, parseJsonOrText, textOf } from "../json-fields.js";
import { describeApiError } from "../model-client/api-error.js";
import { definedOnly, type ReadAttributes } from "../model-client/read-attributes.js";

/**
 * Attributes of a client error. The message of an `ApiError` is the JSON of the response; its status as text becomes part of
 * the error type, so that the error gets its category.
 */
export function describeGoogleError(error: unknown): ReadAttributes {
  if (member(error, "name") !== "ApiError") return describeApiError(error);
  const message = textOf(field(error, "message")) ?? "";
  const json = message.slice(Math.max(message.indexOf("{"), 0));
  const body = field(fieldsOf(parseJsonOrText(json)), "error");
  const status = numberOf(field(error, "status"));
  const code = textOf(field(body, "status"));
  return definedOnly({
    status_code: status,
    error_code: code,
    error_type: ["ApiError", code, status].filter((part) => part !== undefined).join(" "),
    error_message: textOf(field(body, "message")),
  });
}
