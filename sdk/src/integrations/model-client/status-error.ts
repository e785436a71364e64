import { field, member, numberOf, textOf } from "../json-fields.js";
import { definedOnly, type ReadAttributes } from "./read-attributes.js";

/** Class names that tell the category of an error without its HTTP status. */
const SPECIFIC_CLASS =
  /time.?out|rate.?limit|too.?many|throttl|quota|authori|access.?denied|forbidden|not.?found|request|validation|unprocessable|unavailab|server|connection|abort/i;

/**
 * Attributes of an error with an HTTP status, as Amazon's, Mistral's, Cohere's and Ollama's clients throw it. The status is
 * added to a class that does not tell what failed, so that the error gets its category.
 */
export function describeStatusError(error: unknown): ReadAttributes {
  const metadata = field(error, "$metadata");
  const status =
    numberOf(field(error, "statusCode")) ??
    numberOf(field(error, "status_code")) ??
    numberOf(field(metadata, "httpStatusCode"));
  const name = textOf(member(error, "name")) ?? "Error";
  return definedOnly({
    status_code: status,
    request_id: textOf(field(metadata, "requestId")),
    error_type: status === undefined || SPECIFIC_CLASS.test(name) ? undefined : `${name} ${status}`,
  });
}

/** True if the app cancelled the call. */
export function isAbortError(error: unknown): boolean {
  const name = member(error, "name");
  return name === "AbortError" || name === "RequestAbortedError";
}
