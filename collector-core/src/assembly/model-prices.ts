import type { ModelPrice, PriceList, PriceProfile } from "@obspan/sdk/prices";
import type { CostOf } from "../pipeline/stages/price-spans.js";

/** Prices by the name of a model. */
export interface ModelPrices {
  readonly find: (model: string) => ModelPrice | undefined;
  readonly costOf: CostOf;
}

/** The package's own list, one for all collectors of the process. */
let listed: PriceList | undefined;

/**
 * Loads the prices of a profile; default: the package's own. They are indexed at the first lookup, which takes up to ten
 * milliseconds, so that the start of the collector need not wait.
 */
export async function loadModelPrices(own: PriceProfile | undefined): Promise<ModelPrices> {
  const { costUsd, createPriceList, PRICES } = await import("@obspan/sdk/prices");
  let list: PriceList | undefined;
  const index = (): PriceList =>
    own === undefined ? (listed ??= createPriceList(PRICES.default)) : createPriceList(own);
  const find = (model: string): ModelPrice | undefined => (list ??= index()).find(model);
  return {
    find,
    costOf(model, tokens) {
      const price = find(model);
      return price && costUsd(price, tokens);
    },
  };
}
