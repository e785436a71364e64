import { countOf, field, fieldsOf, numberOf } from "../json-fields.js";
import { defined, type ReadAttributes } from "./read-attributes.js";

/**
 * Token counts of a response, in the words of chat completions, of the responses API and of the providers that speak
 * either: cached tokens are a part of `tokens_input`, reasoning a part of `tokens_output`. What the provider does not
 * give stays away: a missing number is never a zero.
 */
export function usageAttributes(response: unknown): ReadAttributes {
  // Groq sends a stream's usage inside `x_groq`, on the chunk with the finish reason.
  const usage = fieldsOf(field(response, "usage")) ?? fieldsOf(field(field(response, "x_groq"), "usage"));
  if (usage === undefined) return {};
  const inputDetails = usage["prompt_tokens_details"] ?? usage["input_tokens_details"];
  const outputDetails = usage["completion_tokens_details"] ?? usage["output_tokens_details"];
  const output = countOf(usage["completion_tokens"]) ?? countOf(usage["output_tokens"]);
  return defined({
    tokens_input:
      countOf(usage["prompt_tokens"]) ??
      countOf(usage["input_tokens"]) ??
      // Embeddings of some providers have the total alone, and nothing is put out.
      (output === undefined ? countOf(usage["total_tokens"]) : undefined),
    tokens_output: output,
    tokens_cached:
      countOf(field(inputDetails, "cached_tokens")) ??
      countOf(usage["prompt_cache_hit_tokens"]) ??
      countOf(usage["cached_tokens"]),
    tokens_cache_write: countOf(field(inputDetails, "cache_write_tokens")),
    tokens_reasoning: countOf(field(outputDetails, "reasoning_tokens")) ?? countOf(usage["reasoning_tokens"]),
    // OpenRouter says what the call cost, in USD.
    cost_usd: numberOf(usage["cost"]),
  });
}
