import type { ModelPrice, PriceProfile } from "./model-price.js";

/** Prices by the name of a model. */
export interface PriceList {
  /** The price of a model; undefined if the list does not have it. */
  find(model: string): ModelPrice | undefined;
}

/** Lookups after which the cache begins anew; it keeps as many from before. Most senders use a few models. */
const MAX_CACHED = 1000;
/** Longer names are not cached. */
const MAX_CACHED_LENGTH = 256;

/** Creates a list from a profile. Finds the exact name in any letter case, otherwise the longest glob that matches. */
export function createPriceList(profile: PriceProfile): PriceList {
  const findRow = indexRows(toRows(profile));
  /** Null: the list does not have the model. */
  let recent = new Map<string, ModelPrice | null>();
  let earlier = new Map<string, ModelPrice | null>();
  return {
    find(model) {
      const known = recent.get(model);
      if (known !== undefined) return known ?? undefined;
      if (model.length > MAX_CACHED_LENGTH) return findRow(model)?.price;
      const before = earlier.get(model);
      const price = before === undefined ? (findRow(model)?.price ?? null) : before;
      // Made-up names replace each other. The models that are in use come back from the earlier lookups.
      if (recent.size === MAX_CACHED) {
        earlier = recent;
        recent = new Map();
      }
      recent.set(model, price);
      return price ?? undefined;
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
  /** The parts of the name between wildcards: one, if it has no wildcard. */
  readonly literals: readonly string[];
  readonly matches: (model: string) => boolean;
  /** Its place among the rows: the match with the lowest rank wins. */
  readonly rank: number;
  readonly price: ModelPrice;
}

/** The rows of a profile, those with the most characters other than wildcards first. */
function toRows(profile: PriceProfile): readonly PriceRow[] {
  return Object.entries(profile)
    .map(([pattern, price]) => {
      const literals = pattern.toLowerCase().split("*");
      return { literals, length: literals.join("").length, price };
    })
    .sort((a, b) => b.length - a.length)
    .map(({ literals, price }, rank) => ({ literals, matches: globMatcher(literals), rank, price }));
}

/** Globs are found by the last characters of their longest literal: the ends of names differ more than their starts. */
const KEY_LENGTH = 6;

/**
 * Finds the row of a model. A glob is compared only with names that have its key, so that a name that no row has, which a sender
 * can make up for each call, does not cost thousands of comparisons.
 */
function indexRows(rows: readonly PriceRow[]): (model: string) => PriceRow | undefined {
  const exact = new Map<string, PriceRow>();
  const byKey = new Map<string, PriceRow[]>();
  /** Globs whose literals are shorter than a key. */
  const short: PriceRow[] = [];
  for (const row of rows) {
    const [first = ""] = row.literals;
    if (row.literals.length === 1) {
      if (!exact.has(first)) exact.set(first, row);
      continue;
    }
    const longest = row.literals.reduce((a, b) => (b.length > a.length ? b : a));
    const key = longest.slice(-KEY_LENGTH);
    const others = key.length < KEY_LENGTH ? short : byKey.get(key);
    if (others === undefined) byKey.set(key, [row]);
    else others.push(row);
  }

  return (model) => {
    const name = model.toLowerCase();
    const same = exact.get(name);
    if (same !== undefined) return same;
    let best = better(undefined, short, name);
    for (let end = KEY_LENGTH; end <= name.length; end++) {
      const candidates = byKey.get(name.slice(end - KEY_LENGTH, end));
      if (candidates !== undefined) best = better(best, candidates, name);
    }
    return best;
  };
}

/** The candidate that matches and ranks before `best`, which otherwise stays. */
function better(
  best: PriceRow | undefined,
  candidates: readonly PriceRow[],
  name: string,
): PriceRow | undefined {
  // The candidates are in the order of their ranks.
  const found = candidates.find(({ matches }) => matches(name));
  return best === undefined || (found !== undefined && found.rank < best.rank) ? found : best;
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
