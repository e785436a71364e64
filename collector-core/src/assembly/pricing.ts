import type { PriceProfile } from "@obspan/sdk/prices";
import type { ListedPrice, PriceTable } from "../api-schema/prices.js";
import type { LoadedConfig } from "../config/load-config.js";
import { readPriceFile } from "../config/price-file.js";
import type { CostOf } from "../pipeline/stages/price-spans.js";
import { loadModelPrices } from "./model-prices.js";

/** The prices of model calls. */
export interface Pricing {
  /** Undefined if `pricing.enabled` is false. */
  readonly costOf: CostOf | undefined;
  /** @param models - only the prices of these; default: the whole table. */
  readonly describe: (models?: readonly string[]) => Promise<PriceTable>;
}

/**
 * Reads the prices of `pricing.file`, otherwise of the package's own table. The table is loaded only if it is used.
 *
 * @throws an error with the problems of the file.
 */
export async function createPricing(config: LoadedConfig["config"]): Promise<Pricing> {
  const isEnabled = config["pricing.enabled"];
  const own = ownPrices(config);
  return {
    costOf: isEnabled ? (await loadModelPrices(own)).costOf : undefined,
    async describe(models) {
      const { PRICES, PRICE_SOURCES } = await import("@obspan/sdk/prices");
      const state = { enabled: isEnabled, file: config["pricing.file"] ?? null };
      const found = models && (await findPrices(own, models));
      if (own !== undefined)
        return { ...state, as_of: null, sources: [], models: found ?? listed(Object.entries(own), null) };
      const days = PRICE_SOURCES.map(({ asOf }) => asOf).sort();
      return {
        ...state,
        as_of: days.at(-1) ?? null,
        sources: PRICE_SOURCES.map(({ provider, source, asOf }) => ({ provider, source, as_of: asOf })),
        models:
          found ??
          PRICE_SOURCES.flatMap(({ provider, models: names }) =>
            listed(
              names.map((model) => [model, PRICES.default[model]] as const),
              provider,
            ),
          ),
      };
    },
  };
}

async function findPrices(own: PriceProfile | undefined, models: readonly string[]): Promise<ListedPrice[]> {
  const prices = await loadModelPrices(own);
  const found = new Map(models.map((model) => [model, prices.find(model)]));
  return listed(found, null);
}

function listed(
  prices: Iterable<readonly [string, PriceProfile[string] | undefined]>,
  provider: string | null,
): ListedPrice[] {
  return [...prices].flatMap(([model, price]) =>
    price === undefined ? [] : [{ model, provider, ...price }],
  );
}

/** The prices of `pricing.file`; undefined if it is unset. @throws an error with its problems. */
export function ownPrices(config: LoadedConfig["config"]): PriceProfile | undefined {
  const path = config["pricing.file"];
  if (path === undefined) return undefined;
  const file = readPriceFile(path);
  if (file.type === "refused") throw new Error(file.problems.join("; "));
  return file.prices;
}
