import type { Config } from "../config/options.js";
import { isRecord } from "./call-messages.js";
import { RuntimeError } from "../config/runtime-error.js";
import type { RecordedSpan } from "./recorded-span.js";

/** What a model costs, in USD per million tokens; a price that is absent follows the one that it refines. */
export interface ModelPrice {
  readonly input_per_1m: number;
  readonly output_per_1m: number;
  /** Default `input_per_1m`. */
  readonly cached_input_per_1m?: number;
  /** Default `input_per_1m`. */
  readonly cache_write_per_1m?: number;
  /** Default `output_per_1m`. */
  readonly reasoning_per_1m?: number;
}

/** Prices by model name or glob (`*` for any characters). */
export type PriceProfile = Readonly<Record<string, ModelPrice>>;

/** What a pricing JSON holds: profiles by name. */
export type PriceTable = Readonly<Record<string, PriceProfile>>;

/** Prices the spans of model calls. */
export interface PriceBook {
  /** False until what prices is there, which loads in the background: spans that end before wait with their cost. */
  readonly isLoaded: boolean;
  /** Resolves when {@link isLoaded}; never rejects. */
  readonly loaded: Promise<void>;
  /** Sets the cost of a span, now or before it is sent. */
  price(span: RecordedSpan): void;
}

/**
 * The prices that the options ask for: `pricingData`, else the file `pricingSource`, else the package's own dated table.
 *
 * @returns undefined where no cost is calculated.
 * @throws `RuntimeError` (`INVALID_OPTION`) where the data cannot be read or has no such profile.
 */
export function openPrices(config: Config): PriceBook | undefined {
  if (!config.enableCostCalculation) return undefined;
  const own = readOwnTable(config);
  const profile = own && chooseProfile(own.table, config.pricingProfile, own.source);
  let pricer: ((span: RecordedSpan) => void) | undefined;
  return {
    get isLoaded() {
      return pricer !== undefined;
    },
    loaded: import("./price-book.js")
      .then(({ createPricer }) => createPricer(config, profile))
      .catch(() => () => undefined)
      .then((loaded) => {
        pricer = loaded;
      }),
    price(span) {
      span.waitsForPrice = pricer === undefined;
      pricer?.(span);
    },
  };
}

function readOwnTable(config: Config): { table: PriceTable; source: string } | undefined {
  const { pricingData, pricingSource } = config;
  if (pricingData !== undefined)
    return { table: parseTable(pricingData, "pricingData"), source: "pricingData" };
  if (pricingSource === undefined) return undefined;
  const source = `pricingSource = ${JSON.stringify(pricingSource)}`;
  let json: string;
  try {
    // An import would load all of `fs`, its promises included, into every app that has no such file.
    json = process.getBuiltinModule("node:fs").readFileSync(pricingSource, "utf8");
  } catch (error) {
    throw invalid(`${source} cannot be read (${(error as { code?: string }).code ?? "unknown error"})`);
  }
  return { table: parseTable(json, source), source };
}

function parseTable(json: string, source: string): PriceTable {
  let table: unknown;
  try {
    table = JSON.parse(json);
  } catch {
    throw invalid(`${source} must be JSON`);
  }
  if (!isRecord(table) || !Object.values(table).every(isRecord))
    throw invalid(`${source} must be an object of profiles, each an object of models`);
  for (const [profile, models] of Object.entries(table as Record<string, object>)) {
    for (const [model, price] of Object.entries(models)) {
      if (!isModelPrice(price))
        throw invalid(
          `${source}: "${profile}" → "${model}" must have input_per_1m and output_per_1m, each value a number of USD, 0 or more`,
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

function chooseProfile(table: PriceTable, profile: string, source: string): PriceProfile {
  const chosen = table[profile];
  if (chosen === undefined || !Object.hasOwn(table, profile))
    throw invalid(
      `pricingProfile = "${profile}" must be a profile of ${source}: ${Object.keys(table).join(", ") || "it has none"}`,
    );
  return chosen;
}

function invalid(message: string): RuntimeError {
  return new RuntimeError(message, "INVALID_OPTION");
}
