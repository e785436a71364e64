import type { Config } from "../config/options.js";
import { costUsd, createPriceList } from "../prices/price-list.js";
import type { PriceProfile } from "./price-table.js";
import type { RecordedSpan } from "./recorded-span.js";
import { warn, warnOnce } from "./warnings.js";

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
  const prices = createPriceList(own ?? (await import("../prices/index.js")).PRICES.default);

  /** The cost of a span in USD; undefined where it has none. */
  function costOf({ attributes }: RecordedSpan): number | undefined {
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
