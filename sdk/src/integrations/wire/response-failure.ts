import { field, textOf } from "../json-fields.js";
import type { ResponseFailure } from "../model-client/operation.js";

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

/** A code of an error as text. OpenRouter's codes are numbers. */
export function codeText(code: unknown): string | undefined {
  return typeof code === "number" ? String(code) : textOf(code);
}
