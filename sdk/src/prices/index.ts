/**
 * List prices of the large providers' models, in USD per million tokens, for short contexts, without discounts or tiers.
 * The table is loaded only if `enableCostCalculation` is on and no other prices are configured. Prices change and contracts
 * differ: if the cost must be exact, use `pricingSource`.
 *
 * {@link PRICE_SOURCES} has the provider, the page and the day of each part of the table. {@link PRICES_AS_OF} is the month of
 * most of them.
 *
 * @packageDocumentation
 */
import { CONTEXT_WINDOWS, contextWindowOf } from "./context-windows.js";
import { LIST_PRICES, type ProviderPrices } from "./list-prices.js";
import type { ModelPrice } from "./model-price.js";

export { costUsd, createPriceList, type PriceList, type TokenCounts } from "./price-list.js";
export type { ModelPrice, PriceProfile } from "./model-price.js";

/** The month of the prices. */
export const PRICES_AS_OF = "2026-09";

/** Where and when a part of the table was published. */
export interface PriceSource {
  readonly provider: string;
  /** The page with the prices. */
  readonly source: string;
  /** The day of the prices: `2026-09-23`. */
  readonly asOf: string;
  /** The names or globs of its models; those without a wildcard have a price in {@link PRICES}. */
  readonly models: readonly string[];
}

/**
 * The source of each part of the table.
 *
 * @example
 * ```ts
 * for (const { provider, source, asOf } of PRICE_SOURCES) console.log(provider, asOf, source);
 * ```
 */
export const PRICE_SOURCES: readonly PriceSource[] = LIST_PRICES.map(({ provider, source, asOf, rows }) => ({
  provider,
  source,
  asOf,
  models: Object.keys(rows),
}));

/** The source of each part of the context windows (`context_window`). */
export const WINDOW_SOURCES: readonly Omit<PriceSource, "models">[] = CONTEXT_WINDOWS.map(
  ({ provider, source, asOf }) => ({
    provider,
    source,
    asOf,
  }),
);

/** Prefixes of gateways and clouds. */
const PREFIXES = ["", "*/", "*anthropic."];
/** Dates, versions of clouds, and `latest`. */
const SUFFIXES = ["", "-latest", "-20*", "-24*", "-25*", "-26*", "@20*", ":20*", "-v1*"];
/** Those of a complete name. */
const EXACT_PREFIXES = ["", "*/"];
const EXACT_SUFFIXES = [""];

let listed: Readonly<Record<string, ModelPrice>> | undefined;

/** The profile `default`: prices by model name or glob. */
export const PRICES: { readonly default: Readonly<Record<string, ModelPrice>> } = {
  // Made when it is used: an app that prices no call does not wait for 5,000 names.
  get default() {
    return (listed ??= listPrices());
  },
};

function listPrices(): Readonly<Record<string, ModelPrice>> {
  // V8 keeps an object without a prototype as a hash table from the start: adding 5,000 keys takes a millisecond, not eight.
  const prices = Object.create(null) as Record<string, ModelPrice>;
  for (const provider of LIST_PRICES) addPrices(prices, provider);
  return prices;
}

/**
 * Adds the prices of a provider under all names of its models: with a date or `latest` as suffix, and with the prefix of a gateway
 * or cloud. A newer model whose name only starts the same way does not match, and has no price.
 */
function addPrices(
  prices: Record<string, ModelPrice>,
  { provider, rows, cacheWriteFactor = 1, isExact = false }: ProviderPrices,
): void {
  for (const [model, [input, output, cachedInput, cacheWrite]] of Object.entries(rows)) {
    const writePrice = cacheWrite ?? (cacheWriteFactor === 1 ? undefined : input * cacheWriteFactor);
    const window = contextWindowOf(provider, model);
    const price: ModelPrice = {
      input_per_1m: input,
      output_per_1m: output,
      ...(cachedInput !== undefined && { cached_input_per_1m: cachedInput }),
      ...(writePrice !== undefined && { cache_write_per_1m: writePrice }),
      ...(window !== undefined && { context_window: window }),
    };
    for (const prefix of isExact ? EXACT_PREFIXES : PREFIXES)
      for (const suffix of isExact ? EXACT_SUFFIXES : SUFFIXES) prices[prefix + model + suffix] = price;
  }
}
