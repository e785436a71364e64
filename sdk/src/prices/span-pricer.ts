import type { Config } from "../config/options.js";
import type { PricedSpan } from "./priced-span.js";
import { readPriceProfile } from "./read-price-table.js";

/** Calculates the cost of model calls. */
export interface SpanPricer {
  /** False while the price table loads in the background. A span that ends before then is priced when it is sent. */
  readonly isLoaded: boolean;
  /** Resolves when {@link isLoaded} is true. Never rejects. */
  readonly loaded: Promise<void>;
  /** Sets the cost of a model call. Does nothing on other spans, and while the price table loads. */
  price(span: PricedSpan): void;
}

/**
 * Creates the pricer that the options ask for.
 *
 * @returns undefined if no cost is calculated.
 * @throws `RuntimeError` (`INVALID_OPTION`) if the given prices cannot be used.
 */
export function createSpanPricer(config: Config): SpanPricer | undefined {
  if (!config.enableCostCalculation) return undefined;
  const profile = readPriceProfile(config);
  let price: ((span: PricedSpan) => void) | undefined;
  return {
    get isLoaded() {
      return price !== undefined;
    },
    loaded: import("./price-span.js")
      .then(({ createPricer }) => createPricer(config, profile))
      .catch(() => () => undefined)
      .then((loaded) => {
        price = loaded;
      }),
    price(span) {
      price?.(span);
    },
  };
}
