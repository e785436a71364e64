import { field, numberOf, textOf } from "../json-fields.js";
import type { Failure } from "./operation.js";
import { defined, type ReadAttributes } from "./read-attributes.js";

/**
 * What an error of the client says beside its class and its message. An error from within a stream has no HTTP status
 * and a class that says nothing: its own `type` and `code` become the error type, so that it gets its category.
 */
export function describeApiError(error: unknown): ReadAttributes {
  const status = numberOf(field(error, "status"));
  const code = codeText(field(error, "code"));
  const type = textOf(field(error, "type"));
  const className = textOf(field(field(error, "constructor"), "name"));
  const saysLittle = className === "APIError" || className === "ConflictError";
  const details = [type, code, status].filter((detail) => detail !== undefined);
  return defined({
    status_code: status,
    error_code: code,
    request_id: textOf(field(error, "requestID")) ?? textOf(field(error, "request_id")),
    error_type: saysLittle && details.length > 0 ? [className, ...details].join(" ") : undefined,
  });
}

/** True where the app itself gave the call up. */
export function isUserAbort(error: unknown): boolean {
  const className = textOf(field(field(error, "constructor"), "name"));
  return className === "APIUserAbortError" || field(error, "name") === "AbortError";
}

/**
 * The error that an answer carries though it came with HTTP 200: gateways (OpenRouter, for one) put it into the body, or
 * into a choice, where the model's provider fails after they have begun to answer. The client does not throw.
 *
 * @param places - where an error may stand.
 */
export function failureIn(places: readonly unknown[]): Failure | undefined {
  for (const error of places) {
    const type = [textOf(field(error, "type")), codeText(field(error, "code"))].filter(Boolean).join(" ");
    const message = textOf(error) ?? textOf(field(error, "message"));
    if (type === "" && message === undefined) continue;
    return { type: type || "error", message: message ?? "The answer carries an error." };
  }
  return undefined;
}

/** OpenRouter's codes are numbers. */
function codeText(code: unknown): string | undefined {
  return typeof code === "number" ? String(code) : textOf(code);
}
