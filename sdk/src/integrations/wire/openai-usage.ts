import { countOf, field, fieldsOf, numberOf } from "../json-fields.js";
import { definedOnly, type ReadAttributes } from "../model-client/read-attributes.js";

/**
 * The token counts of a response, by the field names of chat completions, of the responses API, and of the providers that
 * implement them. Cached tokens are part of `tokens_input`, reasoning tokens part of `tokens_output`. Counts that the
 * provider does not send are left out, not set to zero.
 */
export function usageAttributes(response: unknown): ReadAttributes {
  // Groq sends the usage of a stream inside `x_groq`, on the chunk with the finish reason.
  const usage = fieldsOf(field(response, "usage")) ?? fieldsOf(field(field(response, "x_groq"), "usage"));
  if (usage === undefined) return {};
  const inputDetails = field(usage, "prompt_tokens_details") ?? field(usage, "input_tokens_details");
  const outputDetails = field(usage, "completion_tokens_details") ?? field(usage, "output_tokens_details");
  const output = countOf(field(usage, "completion_tokens")) ?? countOf(field(usage, "output_tokens"));
  return definedOnly({
    tokens_input:
      countOf(field(usage, "prompt_tokens")) ??
      countOf(field(usage, "input_tokens")) ??
      // Embeddings of some providers have only the total, and have no output.
      (output === undefined ? countOf(field(usage, "total_tokens")) : undefined),
    tokens_output: output,
    tokens_cached:
      countOf(field(inputDetails, "cached_tokens")) ??
      countOf(field(usage, "prompt_cache_hit_tokens")) ??
      countOf(field(usage, "cached_tokens")),
    tokens_cache_write: countOf(field(inputDetails, "cache_write_tokens")),
    tokens_reasoning:
      countOf(field(outputDetails, "reasoning_tokens")) ?? countOf(field(usage, "reasoning_tokens")),
    // OpenRouter sends the cost of the call in USD.
    cost_usd: numberOf(field(usage, "cost")),
  });
}
