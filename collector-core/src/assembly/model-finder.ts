import type { FindModel } from "../analysis/context/index.js";
import type { LoadedConfig } from "../config/load-config.js";
import { loadModelPrices } from "./model-prices.js";
import { ownPrices } from "./pricing.js";

/**
 * Creates the function that loads the prices and windows of models when they are needed first: `pricing.file` for the models in
 * it, otherwise the package's own table. With `pricing.enabled` false the windows of models are known, and their prices are
 * those of the table.
 */
export function createModelFinder(config: LoadedConfig["config"]): () => Promise<FindModel> {
  const own = ownPrices(config);
  let loading: Promise<FindModel> | undefined;
  return () => (loading ??= load());

  async function load(): Promise<FindModel> {
    const listed = await loadModelPrices(undefined);
    const configured = await loadModelPrices(own);
    return (model) => {
      const window = listed.find(model)?.context_window;
      const price = configured.find(model);
      return { ...(window !== undefined && { context_window: window }), ...price };
    };
  }
}
