import { readFileSync } from "node:fs";
import type { Config } from "../config/options.js";
import { RuntimeError } from "../config/runtime-error.js";
import type { ModelPrice, PriceLookup } from "./cost.js";

/** Prices by model name or glob (`*` for any characters). */
export type PriceProfile = Readonly<Record<string, ModelPrice>>;

/** What a pricing JSON holds: profiles by name. */
export type PriceTable = Readonly<Record<string, PriceProfile>>;

const PRICE_KEYS = [
  "input_per_1m",
  "output_per_1m",
  "cached_input_per_1m",
  "cache_write_per_1m",
  "reasoning_per_1m",
] as const;

/** Lookups remembered; an app uses a handful of models. */
const MAX_REMEMBERED = 1000;

/**
 * The prices that the options ask for: `pricingData`, else the file `pricingSource`, else the package's own dated table,
 * which loads in the background.
 *
 * @returns undefined where no cost is calculated.
 * @throws `RuntimeError` (`INVALID_OPTION`) where the data cannot be read or has no such profile.
 */
export function openPrices(config: Config): PriceLookup | undefined {
  if (!config.enableCostCalculation) return undefined;
  const { pricingProfile: profile, maxCostPerCallAlert: alertUsd } = config;
  const own = readOwnTable(config);
  let rows: readonly PriceRow[] | undefined = own && toRows(chooseProfile(own.table, profile, own.source));
  const remembered = new Map<string, ModelPrice | undefined>();

  const loaded =
    rows === undefined
      ? import("../prices/index.js").then(({ PRICES }) => {
          // The package's table has one profile; another name only labels it.
          rows = toRows(PRICES.default);
        })
      : Promise.resolve();

  return {
    profile,
    alertUsd,
    get isLoaded() {
      return rows !== undefined;
    },
    loaded: loaded.catch(() => {
      rows = [];
    }),
    find(model) {
      const known = remembered.get(model);
      if (known !== undefined || rows === undefined) return known;
      const price = findPrice(rows, model);
      if (remembered.size < MAX_REMEMBERED) remembered.set(model, price);
      return price;
    },
  };
}

interface PriceRow {
  readonly matches: (model: string) => boolean;
  /** Characters that are no wildcard: the longest match wins, and an exact name over a glob of the same length. */
  readonly weight: number;
  readonly price: ModelPrice;
}

function toRows(profile: PriceProfile): readonly PriceRow[] {
  return Object.entries(profile)
    .map(([pattern, price]) => {
      const literals = pattern.toLowerCase().split("*");
      const length = literals.join("").length;
      return literals.length === 1
        ? { matches: (model: string) => model === literals[0], weight: length + 0.5, price }
        : { matches: globMatcher(literals), weight: length, price };
    })
    .sort((a, b) => b.weight - a.weight);
}

/** Finds the literals of a glob one after the other: linear, whatever the pattern. */
function globMatcher(literals: readonly string[]): (model: string) => boolean {
  const first = literals[0] ?? "";
  const last = literals.at(-1) ?? "";
  const between = literals.slice(1, -1);
  return (model) => {
    if (model.length < first.length + last.length || !model.startsWith(first) || !model.endsWith(last))
      return false;
    const end = model.length - last.length;
    let at = first.length;
    for (const literal of between) {
      const found = model.indexOf(literal, at);
      if (found < 0 || found + literal.length > end) return false;
      at = found + literal.length;
    }
    return true;
  };
}

function findPrice(rows: readonly PriceRow[], model: string): ModelPrice | undefined {
  const name = model.toLowerCase();
  return rows.find(({ matches }) => matches(name))?.price;
}

function readOwnTable(config: Config): { table: PriceTable; source: string } | undefined {
  const { pricingData, pricingSource } = config;
  if (pricingData !== undefined)
    return { table: parseTable(pricingData, "pricingData"), source: "pricingData" };
  if (pricingSource === undefined) return undefined;
  const source = `pricingSource = ${JSON.stringify(pricingSource)}`;
  let json: string;
  try {
    json = readFileSync(pricingSource, "utf8");
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
  if (!isRecord(table)) throw invalid(`${source} must be an object of profiles`);
  for (const [profile, models] of Object.entries(table)) {
    if (!isRecord(models)) throw invalid(`${source}: profile "${profile}" must be an object of models`);
    for (const [model, price] of Object.entries(models))
      checkPrice(price, `${source}: "${profile}" → "${model}"`);
  }
  return table as PriceTable;
}

function checkPrice(price: unknown, place: string): void {
  if (!isRecord(price)) throw invalid(`${place} must be an object of prices`);
  for (const key of PRICE_KEYS) {
    const value = price[key];
    const isOptional = key !== "input_per_1m" && key !== "output_per_1m";
    if (value === undefined && isOptional) continue;
    if (typeof value !== "number" || !(value >= 0) || !Number.isFinite(value))
      throw invalid(`${place}: ${key} must be a number of USD, 0 or more`);
  }
}

function chooseProfile(table: PriceTable, profile: string, source: string): PriceProfile {
  if (!Object.hasOwn(table, profile)) {
    const names = Object.keys(table).map((name) => `"${name}"`);
    throw invalid(
      `pricingProfile = "${profile}" must be a profile of ${source}: ${names.join(", ") || "it has none"}`,
    );
  }
  return table[profile] ?? {};
}

function invalid(message: string): RuntimeError {
  return new RuntimeError(message, "INVALID_OPTION");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
