import type { Config } from "../config/options.js";
import { RuntimeError } from "../config/runtime-error.js";
import { isRecord } from "../is-record.js";
import type { PriceProfile, PriceTable } from "./model-price.js";

/**
 * The price profile that the options name: from `pricingData`, otherwise from the file `pricingSource`.
 *
 * @returns undefined if neither option is set: the package's own price table applies.
 * @throws `RuntimeError` (`INVALID_OPTION`) if the data cannot be read or has no such profile.
 */
export function readPriceProfile({
  pricingData,
  pricingSource,
  pricingProfile,
}: Config): PriceProfile | undefined {
  let json = pricingData;
  let source = "pricingData";
  if (json === undefined) {
    if (pricingSource === undefined) return undefined;
    source = `pricingSource = ${JSON.stringify(pricingSource)}`;
    try {
      // A static import would load all of `fs` into every app, and most apps have no price file.
      json = process.getBuiltinModule("node:fs").readFileSync(pricingSource, "utf8");
    } catch (error) {
      throw invalid(`${source} cannot be read (${(error as { code?: string }).code ?? "unknown error"})`);
    }
  }
  return chooseProfile(parseTable(json, source), pricingProfile, source);
}

function parseTable(json: string, source: string): PriceTable {
  let table: unknown;
  try {
    table = JSON.parse(json);
  } catch {
    // Not a table.
  }
  if (!isRecord(table) || !Object.values(table).every(isRecord))
    throw invalid(`${source} must be JSON: an object of profiles, each an object of models`);
  for (const [profile, models] of Object.entries(table as Record<string, object>)) {
    for (const [model, price] of Object.entries(models)) {
      if (!isModelPrice(price))
        throw invalid(
          `${source}: "${profile}" → "${model}" must have input_per_1m and output_per_1m, in USD, 0 or more`,
        );
    }
  }
  return table as PriceTable;
}

function isModelPrice(price: unknown): boolean {
  return (
    isRecord(price) &&
    ["input_per_1m", "output_per_1m", ...Object.keys(price)].every(
      (key) => Number.isFinite(price[key]) && Number(price[key]) >= 0,
    )
  );
}

function chooseProfile(table: PriceTable, name: string, source: string): PriceProfile {
  const profile = table[name];
  if (profile === undefined || !Object.hasOwn(table, name))
    throw invalid(
      `pricingProfile = "${name}" must be a profile of ${source}: ${Object.keys(table).join(", ") || "it has none"}`,
    );
  return profile;
}

function invalid(message: string): RuntimeError {
  return new RuntimeError(message, "INVALID_OPTION");
}
