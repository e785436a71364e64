import { vi } from "vitest";
import type { Sdk } from "../fresh-sdk.js";

/** Prices for tests, as the option `pricingData` takes them. */
export const PRICING = JSON.stringify({
  default: {
    "gpt-5": { input_per_1m: 1, output_per_1m: 10 },
    "gpt-5*": { input_per_1m: 2, output_per_1m: 20 },
    "gpt-5-mini*": {
      input_per_1m: 0.25,
      output_per_1m: 2,
      cached_input_per_1m: 0.025,
      cache_write_per_1m: 0.5,
      reasoning_per_1m: 4,
    },
    "*": { input_per_1m: 100, output_per_1m: 100 },
  },
  contract: { "gpt-5": { input_per_1m: 0.5, output_per_1m: 5 } },
});

/** Makes a model call with attributes, and returns the attributes of its span once prices are loaded. */
export async function pricedCall({ llm, currentSpan, takeSpans }: Sdk, attributes: Record<string, unknown>) {
  llm("call", () => {
    currentSpan().setAttributes(attributes);
  })();
  // The price table loads in the background.
  await vi.dynamicImportSettled();
  await new Promise((resolve) => setImmediate(resolve));
  return takeSpans()[0]?.attributes ?? {};
}
