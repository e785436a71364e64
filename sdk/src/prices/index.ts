/**
 * What the large providers charge for their models, in USD per million tokens, list price without discounts. A table of
 * its own, loaded only where `enableCostCalculation` is on and no table was given; prices change, and a contract's own
 * belong into `pricingSource`.
 *
 * @packageDocumentation
 */
import type { ModelPrice } from "../capture/cost.js";

/** The day on which the prices were last compared with what the providers publish. */
export const PRICES_AS_OF = "2026-11-01";

const price = (
  input_per_1m: number,
  output_per_1m: number,
  cached_input_per_1m?: number,
  cache_write_per_1m?: number,
): ModelPrice => ({
  input_per_1m,
  output_per_1m,
  ...(cached_input_per_1m === undefined ? {} : { cached_input_per_1m }),
  ...(cache_write_per_1m === undefined ? {} : { cache_write_per_1m }),
});

/** The one profile, by model name or glob. */
export const PRICES: { readonly default: Readonly<Record<string, ModelPrice>> } = {
  default: {},
};
