import type { RecordedSpan } from "./recorded-span.js";
import { warn, warnOnce } from "./warnings.js";

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

/** Finds what a model costs. */
export interface PriceLookup {
  readonly profile: string;
  /** USD for one call above which a warning is given. */
  readonly alertUsd: number | undefined;
  /** False until a table that loads in the background is there: spans that end before wait with their cost. */
  readonly isLoaded: boolean;
  /** Resolves when {@link isLoaded}; never rejects. */
  readonly loaded: Promise<void>;
  /** Undefined for a model that the table does not have. */
  find(model: string): ModelPrice | undefined;
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

/**
 * Sets `cost_usd` and `pricing_profile` on a model call that has tokens and no cost, and warns where it cost more than
 * the alert allows. A model without a price gets no cost and one warning.
 */
export function priceSpan(span: RecordedSpan, prices: PriceLookup): void {
  const { attributes } = span;
  let cost = attributes["cost_usd"];
  if (typeof cost !== "number") {
    const { model, tokens_input: input, tokens_output: output } = attributes;
    if (typeof model !== "string" || (typeof input !== "number" && typeof output !== "number")) return;
    if (!prices.isLoaded) {
      span.waitsForPrice = true;
      return;
    }
    const price = prices.find(model);
    if (price === undefined) {
      warnOnce(
        `price:${model}`,
        `No price for the model ${JSON.stringify(model.slice(0, 100))} in profile "${prices.profile}": its calls carry no cost.`,
      );
      return;
    }
    cost = costUsd(price, {
      input: count(input),
      output: count(output),
      cached: count(attributes["tokens_cached"]),
      cacheWrite: count(attributes["tokens_cache_write"]),
      reasoning: count(attributes["tokens_reasoning"]),
    });
    span.put("cost_usd", cost);
    span.put("pricing_profile", prices.profile);
  }
  const { alertUsd } = prices;
  if (alertUsd !== undefined && cost > alertUsd) {
    warn(
      `${span.name} (${typeof attributes["model"] === "string" ? attributes["model"] : "unknown model"}) cost ${cost} USD, more than maxCostPerCallAlert = ${alertUsd}.`,
    );
  }
}

function count(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 ? tokens : 0;
}
