/**
 * List prices of the large providers' models, in USD per million tokens, for short contexts, without discounts or tiers.
 * The table is loaded only if `enableCostCalculation` is on and no other prices are configured. Prices change and contracts
 * differ: if the cost must be exact, use `pricingSource`.
 *
 * The providers publish their prices at openai.com/api/pricing, claude.com/pricing, ai.google.dev/pricing,
 * docs.x.ai/docs/models and mistral.ai/pricing. {@link PRICES_AS_OF} is the month of the table.
 *
 * @packageDocumentation
 */
import type { ModelPrice } from "./model-price.js";

export { costUsd, createPriceList, type PriceList, type TokenCounts } from "./price-list.js";
export type { ModelPrice, PriceProfile } from "./model-price.js";

/** The month of the prices. */
export const PRICES_AS_OF = "2026-09";

/** Prices of input, output, and input read from the cache if it has its own price. */
type Row = readonly [input: number, output: number, cachedInput?: number];

const OPENAI: Readonly<Record<string, Row>> = {
  "gpt-4o": [2.5, 10, 1.25],
  "gpt-4o-mini": [0.15, 0.6, 0.075],
  "gpt-4.1": [2, 8, 0.5],
  "gpt-4.1-mini": [0.4, 1.6, 0.1],
  "gpt-4.1-nano": [0.1, 0.4, 0.025],
  o1: [15, 60, 7.5],
  "o1-pro": [150, 600],
  o3: [2, 8, 0.5],
  "o3-mini": [1.1, 4.4, 0.55],
  "o3-pro": [20, 80],
  "o4-mini": [1.1, 4.4, 0.275],
  "gpt-5": [1.25, 10, 0.125],
  "gpt-5-mini": [0.25, 2, 0.025],
  "gpt-5-nano": [0.05, 0.4, 0.005],
  "gpt-5-pro": [15, 120],
  "gpt-5.1": [1.25, 10, 0.125],
  "gpt-5.1-codex": [1.25, 10, 0.125],
  "gpt-5.1-codex-mini": [0.25, 2, 0.025],
  "gpt-5.2": [1.75, 14, 0.175],
  "gpt-5.2-pro": [21, 168],
  "gpt-5.4": [2.5, 15, 0.25],
  "gpt-5.4-mini": [0.75, 4.5, 0.075],
  "gpt-5.4-nano": [0.2, 1.25, 0.02],
  "gpt-5.4-pro": [30, 180],
  "gpt-5.5": [5, 30, 0.5],
  "gpt-5.5-pro": [30, 180],
  "gpt-5.6-luna": [0.2, 1.2, 0.02],
  "gpt-6-luna": [0.1, 0.5, 0.01],
  "text-embedding-3-small": [0.02, 0],
  "text-embedding-3-large": [0.13, 0],
  "text-embedding-ada-002": [0.1, 0],
};

const ANTHROPIC: Readonly<Record<string, Row>> = {
  "claude-3-haiku": [0.25, 1.25, 0.025],
  "claude-3-opus": [15, 75, 1.5],
  "claude-3-5-haiku": [0.8, 4, 0.08],
  "claude-3-5-sonnet": [3, 15, 0.3],
  "claude-3-7-sonnet": [3, 15, 0.3],
  "claude-haiku-4-5": [1, 5, 0.1],
  "claude-sonnet-4": [3, 15, 0.3],
  "claude-sonnet-4-5": [3, 15, 0.3],
  "claude-sonnet-5": [2, 10, 0.2],
  "claude-sonnet-5-5": [2, 10, 0.2],
  "claude-opus-4": [15, 75, 1.5],
  "claude-opus-4-1": [15, 75, 1.5],
  "claude-opus-4-5": [5, 25, 0.5],
  "claude-opus-4-6": [5, 25, 0.5],
  "claude-opus-4-7": [5, 25, 0.5],
  "claude-opus-4-8": [5, 25, 0.5],
  "claude-opus-5": [5, 25, 0.5],
  "claude-opus-5-5": [4, 20, 0.2],
};

const OTHERS: Readonly<Record<string, Row>> = {
  "gemini-2.0-flash": [0.1, 0.4],
  "gemini-2.0-flash-lite": [0.075, 0.3],
  "gemini-2.5-flash": [0.3, 2.5, 0.03],
  "gemini-2.5-flash-lite": [0.1, 0.4, 0.01],
  "gemini-2.5-pro": [1.25, 10, 0.125],
  "gemini-3-flash-preview": [0.5, 3],
  "gemini-3-pro-preview": [2, 12],
  "gemini-3.1-pro-preview": [2, 12],
  "gemini-3.1-flash-lite-preview": [0.25, 1.5, 0.025],
  "gemini-3.5-flash": [1.5, 9, 0.15],
  "gemini-3.5-flash-lite": [0.3, 2.5, 0.03],
  "gemini-3.6-flash": [1.5, 7.5, 0.15],
  "grok-3": [3, 15, 0.75],
  "grok-3-mini": [0.3, 0.5, 0.075],
  "grok-4": [3, 15, 0.75],
  "grok-4-fast": [0.2, 0.5, 0.05],
  "grok-4.3": [1.25, 2.5, 0.2],
  "grok-4.5": [2, 6, 0.3],
  "mistral-small": [0.1, 0.3],
  "mistral-medium": [0.4, 2],
  "mistral-nemo": [0.15, 0.15],
};

/** A write to Anthropic's cache costs a quarter more than other input. */
const CACHE_WRITE_FACTOR = 1.25;

/** The profile `default`: prices by model name or glob. */
export const PRICES: { readonly default: Readonly<Record<string, ModelPrice>> } = {
  default: { ...expand(OPENAI), ...expand(ANTHROPIC, CACHE_WRITE_FACTOR), ...expand(OTHERS) },
};

/**
 * Adds the other names of a model: with a date or `latest` as suffix, and with the prefix of a gateway or cloud. A newer
 * model whose name only starts the same way does not match, and has no price.
 */
function expand(rows: Readonly<Record<string, Row>>, cacheWriteFactor?: number): Record<string, ModelPrice> {
  const prices: Record<string, ModelPrice> = {};
  for (const [model, [input, output, cachedInput]] of Object.entries(rows)) {
    const price: ModelPrice = {
      input_per_1m: input,
      output_per_1m: output,
      ...(cachedInput === undefined ? {} : { cached_input_per_1m: cachedInput }),
      ...(cacheWriteFactor === undefined ? {} : { cache_write_per_1m: input * cacheWriteFactor }),
    };
    for (const prefix of ["", "*/", "*anthropic."]) {
      for (const suffix of ["", "-latest", "-20*", "-25*", "-26*", "@20*"]) {
        prices[prefix + model + suffix] = price;
      }
    }
  }
  return prices;
}
