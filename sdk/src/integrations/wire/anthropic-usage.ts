import { countOf, field } from "../json-fields.js";
import { definedOnly, type ReadAttributes } from "../model-client/read-attributes.js";

/**
 * The token counts of a message. Anthropic counts cached input apart: `tokens_input` is the sum. Counts that are not sent are
 * left out, not set to zero.
 */
export function anthropicUsage(response: unknown): ReadAttributes {
  const usage = field(response, "usage");
  const input = countOf(field(usage, "input_tokens"));
  const cached = countOf(field(usage, "cache_read_input_tokens"));
  const cacheWrite = countOf(field(usage, "cache_creation_input_tokens"));
  return definedOnly({
    tokens_input: input === undefined ? undefined : input + (cached ?? 0) + (cacheWrite ?? 0),
    tokens_output: countOf(field(usage, "output_tokens")),
    tokens_cached: cached,
    tokens_cache_write: cacheWrite,
    tokens_reasoning: countOf(field(field(usage, "output_tokens_details"), "thinking_tokens")),
    web_search_requests: countOf(field(field(usage, "server_tool_use"), "web_search_requests")),
  });
}
