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
  const findRow = indexRows(profile);
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

/** A pattern of a profile, and its price. */
interface PriceRow {
  readonly matches: (model: string) => boolean;
  /** Characters other than wildcards. The matching row with the most wins; of several, the first in the profile. */
  readonly length: number;
  readonly place: number;
  readonly price: ModelPrice;
}

/** Globs are found by the last characters of their longest literal: the ends of names differ more than their starts. */
const KEY_LENGTH = 6;

/**
 * Finds the row of a model. A glob is compared only with names that have its key, so that a name that no row has, which a sender
 * can make up for each call, does not cost thousands of comparisons. Rows are made when they are compared for the first time: most
 * of a list never are.
 */
function indexRows(profile: PriceProfile): (model: string) => PriceRow | undefined {
  const entries = Object.entries(profile);
  const exact = new Map<string, number>();
  const byKey = new Map<string, number[]>();
  /** Globs whose literals are shorter than a key. */
  const short: number[] = [];
  for (const [place, [name]] of entries.entries()) {
    const pattern = name.toLowerCase();
    if (!pattern.includes("*")) {
      if (!exact.has(pattern)) exact.set(pattern, place);
      continue;
    }
    const key = keyOf(pattern);
    const others = key.length < KEY_LENGTH ? short : byKey.get(key);
    if (others === undefined) byKey.set(key, [place]);
    else others.push(place);
  }
  const rows = new Map<number, PriceRow>();

  function rowAt(place: number): PriceRow | undefined {
    const known = rows.get(place);
    const entry = entries[place];
    if (known !== undefined || entry === undefined) return known;
    const literals = entry[0].toLowerCase().split("*");
    const row = { matches: globMatcher(literals), length: literals.join("").length, place, price: entry[1] };
    rows.set(place, row);
    return row;
  }

  function better(
    best: PriceRow | undefined,
    candidates: readonly number[],
    name: string,
  ): PriceRow | undefined {
    for (const place of candidates) {
      const row = rowAt(place);
      if (row !== undefined && isBefore(row, best) && row.matches(name)) best = row;
    }
    return best;
  }

  return (model) => {
    const name = model.toLowerCase();
    const same = exact.get(name);
    if (same !== undefined) return rowAt(same);
    let best = better(undefined, short, name);
    for (let end = KEY_LENGTH; end <= name.length; end++) {
      const candidates = byKey.get(name.slice(end - KEY_LENGTH, end));
      if (candidates !== undefined) best = better(best, candidates, name);
    }
    return best;
  };
}

function isBefore(row: PriceRow, other: PriceRow | undefined): boolean {
  if (other === undefined || row.length !== other.length) return row.length > (other?.length ?? -1);
  return row.place < other.place;
}

/** The last characters of the longest text between wildcards. */
function keyOf(pattern: string): string {
  let [start, end] = [0, 0];
  for (let from = 0; from <= pattern.length;) {
    const wildcard = pattern.indexOf("*", from);
    const to = wildcard < 0 ? pattern.length : wildcard;
    if (to - from > end - start) [start, end] = [from, to];
    from = to + 1;
  }
  return pattern.slice(Math.max(start, end - KEY_LENGTH), end);
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
