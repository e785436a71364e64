import { expect, it } from "vitest";
import { costUsd } from "../../src/prices/price-list.js";

const MILLION = { input: 1e6, output: 1e6, cached: 0, cacheWrite: 0, reasoning: 0 };

it("cached input, cache writes and reasoning have their own price or the price that they refine", () => {
  const price = {
    input_per_1m: 1,
    output_per_1m: 10,
    cached_input_per_1m: 0.1,
    cache_write_per_1m: 1.25,
    reasoning_per_1m: 20,
  };
  const tokens = { input: 1e6, output: 1e6, cached: 400_000, cacheWrite: 200_000, reasoning: 500_000 };
  expect(costUsd(price, tokens)).toBe(0.4 + 0.04 + 0.25 + 5 + 10);
  expect(costUsd({ input_per_1m: 1, output_per_1m: 10 }, tokens)).toBe(11);
  expect(costUsd(price, { ...MILLION, input: 0, cached: 50 })).toBe(10);
  expect(costUsd({ input_per_1m: 0.15, output_per_1m: 0.6 }, { ...MILLION, input: 7, output: 3 })).toBe(
    0.00000285,
  );
});
