import type { Exchange } from "./exchange.js";

/** The token counts that the span of an exchange must have. Null: the provider sends no such count. */
export interface ExpectedTokens {
  readonly tokens_input: number | null;
  readonly tokens_output: number | null;
  readonly tokens_cached: number | null;
  readonly tokens_reasoning: number | null;
  readonly tokens_cache_write: number | null;
}

/** Providers whose count of input tokens excludes the cached ones. */
const INPUT_EXCLUDES_CACHE = ["anthropic", "aws.bedrock"];

/** Providers whose count of output tokens excludes the reasoning. */
const OUTPUT_EXCLUDES_REASONING = ["gcp.gemini", "gcp.vertex_ai"];

/**
 * Converts the token counts of a recording, which have the provider's meaning, to the meaning of a span: `tokens_input` is
 * all input, and `tokens_output` includes the reasoning (contract 1).
 */
export function expectedTokens({ provider, expect: recorded }: Exchange): ExpectedTokens {
  const { tokens_cached, tokens_cache_write, tokens_reasoning } = recorded;
  return {
    tokens_input: INPUT_EXCLUDES_CACHE.includes(provider)
      ? sum(recorded.tokens_input, tokens_cached, tokens_cache_write)
      : recorded.tokens_input,
    tokens_output: OUTPUT_EXCLUDES_REASONING.includes(provider)
      ? sum(recorded.tokens_output, tokens_reasoning)
      : recorded.tokens_output,
    tokens_cached,
    tokens_reasoning,
    tokens_cache_write,
  };
}

function sum(count: number | null, ...others: readonly (number | null)[]): number | null {
  if (count === null) return null;
  return others.reduce<number>((total, other) => total + (other ?? 0), count);
}
