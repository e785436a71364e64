import type { Config } from "../config/options.js";
import type { ModelPrice, PriceProfile } from "./price-table.js";
import type { RecordedSpan } from "./recorded-span.js";
import { warn, warnOnce } from "./warnings.js";

/** Lookups remembered; an app uses a handful of models. */
const MAX_REMEMBERED = 1000;

/**
 * Makes what prices spans: it sets `cost_usd` and `pricing_profile` on a model call that has tokens and no cost, and warns
 * where a call cost more than the alert allows. A model without a price gets no cost and one warning.
 *
 * @param own - the profile that was given; without it the package's own dated table.
 */
export async function createPricer(
  { pricingProfile: profile, maxCostPerCallAlert: alertUsd }: Config,
  own: PriceProfile | undefined,
): Promise<(span: RecordedSpan) => void> {
  const rows = toRows(own ?? (await import("../prices/index.js")).PRICES.default);
  const remembered = new Map<string, ModelPrice | undefined>();

  function find(model: string): ModelPrice | undefined {
    const known = remembered.get(model);
    if (known !== undefined) return known;
    const price = findPrice(rows, model);
    if (remembered.size < MAX_REMEMBERED) remembered.set(model, price);
    return price;
  }

  /** The cost of a span in USD; undefined where it has none. */
  function costOf({ attributes }: RecordedSpan): number | undefined {
    const { model, tokens_input: input, tokens_output: output, cost_usd: given } = attributes;
    if (typeof given === "number") return given;
    if (typeof model !== "string" || (typeof input !== "number" && typeof output !== "number"))
      return undefined;
    const price = find(model);
    if (price === undefined) {
      warnOnce(
        `price:${model}`,
        `No price for the model ${JSON.stringify(model.slice(0, 100))} in profile "${profile}": its calls carry no cost.`,
      );
      return undefined;
    }
    return costUsd(price, {
      input: count(input),
      output: count(output),
      cached: count(attributes["tokens_cached"]),
      cacheWrite: count(attributes["tokens_cache_write"]),
      reasoning: count(attributes["tokens_reasoning"]),
    });
  }

  return (span) => {
    const isGiven = typeof span.attributes["cost_usd"] === "number";
    const cost = costOf(span);
    if (cost === undefined) return;
    if (!isGiven) {
      span.put("cost_usd", cost);
      span.put("pricing_profile", profile);
    }
    if (alertUsd === undefined || cost <= alertUsd) return;
    const { model } = span.attributes;
    const called = typeof model === "string" ? model : "unknown model";
    warn(`${span.name} (${called}) cost ${cost} USD, more than maxCostPerCallAlert = ${alertUsd}.`);
  };
}

function count(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 ? tokens : 0;
}

/** Tokens of one call. `input` and `output` are all; the others are parts of them. */
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
  // To a billionth of a dollar: what is beyond is the error of the arithmetic.
  return Math.round(perMillion * 1000) / 1e9;
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
