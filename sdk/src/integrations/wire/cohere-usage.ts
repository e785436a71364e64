import { countOf, field, textOf } from "../json-fields.js";
import type { ResponseFailure } from "../model-client/operation.js";
import { definedOnly, type ReadAttributes } from "../model-client/read-attributes.js";

/**
 * The token counts of a response: `usage` of the chat API v2, `meta` of all others. `tokens` has all tokens. The tokens that
 * are billed leave out what Cohere adds to the prompt; they count where a response has no others.
 */
export function cohereUsage(usage: unknown): ReadAttributes {
  const tokens = field(usage, "tokens");
  const billed = field(usage, "billed_units");
  return definedOnly({
    tokens_input: countOf(field(tokens, "input_tokens")) ?? countOf(field(billed, "input_tokens")),
    tokens_output: countOf(field(tokens, "output_tokens")) ?? countOf(field(billed, "output_tokens")),
    tokens_cached: countOf(field(usage, "cached_tokens")),
    search_units: countOf(field(billed, "search_units")),
  });
}

/** The failure of a response that ends with the reason `ERROR`, `ERROR_TOXIC` or `TIMEOUT`. */
export function cohereFailure(response: unknown): ResponseFailure | undefined {
  const reason = textOf(field(response, "finish_reason"));
  if (reason === undefined || !/^(?:ERROR|TIMEOUT)/.test(reason) || reason === "ERROR_LIMIT")
    return undefined;
  const message = textOf(field(response, "error"));
  return { type: reason.toLowerCase(), message: message ?? `The response ended with ${reason}.` };
}
