import { countOf, field } from "../json-fields.js";
import type { ReadAttributes } from "../model-client/read-attributes.js";

/**
 * The token counts of a model call. `inputTokens` includes cached tokens from version 6 on. Version 5 has the details beside
 * the counts.
 */
export function tokenCounts(usage: unknown): ReadAttributes {
  const input = field(usage, "inputTokenDetails");
  const output = field(usage, "outputTokenDetails");
  return {
    tokens_input: countOf(field(usage, "inputTokens")),
    tokens_output: countOf(field(usage, "outputTokens")),
    tokens_cached: countOf(field(input, "cacheReadTokens")) ?? countOf(field(usage, "cachedInputTokens")),
    tokens_cache_write: countOf(field(input, "cacheWriteTokens")),
    tokens_reasoning: countOf(field(output, "reasoningTokens")) ?? countOf(field(usage, "reasoningTokens")),
  };
}
