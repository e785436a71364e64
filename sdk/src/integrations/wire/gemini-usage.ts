import { countOf, field } from "../json-fields.js";
import { definedOnly, type ReadAttributes } from "../model-client/read-attributes.js";

/**
 * Token counts in Google's meaning: thoughts come on top of the output, and the input of Google's own tools on top of the
 * prompt. `tokens_output` and `tokens_input` are the sums. Counts that are not sent are left out.
 */
export function googleTokens(counts: {
  readonly prompt: unknown;
  readonly toolUse: unknown;
  readonly output: unknown;
  readonly thoughts: unknown;
  readonly cached: unknown;
}): ReadAttributes {
  return definedOnly({
    tokens_input: sum(counts.prompt, counts.toolUse),
    tokens_output: sum(counts.output, counts.thoughts),
    tokens_cached: countOf(counts.cached),
    tokens_reasoning: countOf(counts.thoughts),
  });
}

/** The token counts of `generateContent`. */
export function geminiUsage(response: unknown): ReadAttributes {
  const usage = field(response, "usageMetadata");
  return googleTokens({
    prompt: field(usage, "promptTokenCount"),
    toolUse: field(usage, "toolUsePromptTokenCount"),
    output: field(usage, "candidatesTokenCount"),
    thoughts: field(usage, "thoughtsTokenCount"),
    cached: field(usage, "cachedContentTokenCount"),
  });
}

function sum(left: unknown, right: unknown): number | undefined {
  const counts = [countOf(left), countOf(right)].filter((count) => count !== undefined);
  return counts.length === 0 ? undefined : counts.reduce((total, count) => total + count, 0);
}
