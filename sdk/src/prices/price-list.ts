import type { ModelPrice, PriceProfile } from "./model-price.js";

/** Prices by the name of a model. */
export interface PriceList {
  /** The price of a model; undefined if the list does not have it. */
  find(model: string): ModelPrice | undefined;
}

/** Most lookups that are cached. An app uses only a few models. */
const MAX_CACHED = 1000;

/** Creates a list from a profile. Finds the exact name in any letter case, otherwise the longest glob that matches. */
export function createPriceList(profile: PriceProfile): PriceList {
  const rows = toRows(profile);
  const cache = new Map<string, ModelPrice | undefined>();
  return {
    find(model) {
      const cached = cache.get(model);
      if (cached !== undefined) return cached;
      const price = findPrice(rows, model);
      if (cache.size < MAX_CACHED) cache.set(model, price);
      return price;
    },
  };
}

/** Tokens of one call. `input` and `output` are totals; the others are parts of them. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** The cost of a call in USD. */
export function costUsd(price: ModelPrice, tokens: TokenCounts): number {
  const cached = Math.min(tokens.cached, tokens.input);
  const cacheWrite = Math.min(tokens.cacheWrite, tokens.input - cached);
  const reasoning = Math.min(tokens.reasoning, tokens.output);
  const perMillion =
    (tokens.input - cached - cacheWrite) * price.input_per_1m +
    cached * (price.cached_input_per_1m ?? price.input_per_1m) +
    cacheWrite * (price.cache_write_per_1m ?? price.input_per_1m) +
    (tokens.output - reasoning) * price.output_per_1m +
    reasoning * (price.reasoning_per_1m ?? price.output_per_1m);
  // Rounded to a billionth of a dollar, which removes the error of the arithmetic.
  return Math.round(perMillion * 1000) / 1e9;
}

interface PriceRow {
  readonly matches: (model: string) => boolean;
  /** Characters other than wildcards: the longest match wins, and an exact name wins over a glob of the same length. */
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

/** Finds the literals of a glob one after the other, in linear time for every pattern. */
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
