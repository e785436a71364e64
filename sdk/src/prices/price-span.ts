import type { Config } from "../config/options.js";
import { warn, warnOnce } from "../warnings.js";
import type { PriceProfile } from "./model-price.js";
import { costUsd, createPriceList } from "./price-list.js";
import type { PricedSpan } from "./priced-span.js";

/**
 * Creates the function that prices spans. It sets `cost_usd` and `pricing_profile` on a model call that has tokens and no
 * cost, and warns if a call costs more than `maxCostPerCallAlert`. A model without a price gets no cost and one warning.
 *
 * @param customProfile - the configured prices. Default: the package's own price table.
 */
export async function createPricer(
  { pricingProfile: profile, maxCostPerCallAlert: alertUsd }: Config,
  customProfile: PriceProfile | undefined,
): Promise<(span: PricedSpan) => void> {
  const prices = createPriceList(customProfile ?? (await import("./index.js")).PRICES.default);

  /** The cost of a span in USD, or undefined if it has none. */
  function costOf({ attributes }: PricedSpan): number | undefined {
    const { model, tokens_input: input, tokens_output: output, cost_usd: given } = attributes;
    if (typeof given === "number") return given;
    if (typeof model !== "string" || (typeof input !== "number" && typeof output !== "number"))
      return undefined;
    const price = prices.find(model);
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
    if (span.spanType !== "llm" && span.spanType !== "embedding") return;
    const isGiven = typeof span.attributes["cost_usd"] === "number";
    const cost = costOf(span);
    if (cost === undefined) return;
    if (!isGiven) {
      span.put("cost_usd", cost);
      span.put("pricing_profile", profile);
    }
    if (alertUsd === undefined || cost <= alertUsd) return;
    const { model } = span.attributes;
    const modelName = typeof model === "string" ? model : "unknown model";
    warn(`${span.name} (${modelName}) cost ${cost} USD, more than maxCostPerCallAlert = ${alertUsd}.`);
  };
}

function count(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 ? tokens : 0;
}
