import { expect, it } from "vitest";
import { freshSdk } from "../fresh-sdk.js";

it.each([
  [{ pricingData: "no JSON" }, /pricingData must be JSON/],
  [{ pricingData: "[]" }, /pricingData must be JSON: an object of profiles/],
  [
    { pricingData: '{"default":{"m":{"input_per_1m":-1,"output_per_1m":1}}}' },
    /"default" → "m" must have input_per_1m and output_per_1m/,
  ],
  [{ pricingData: '{"default":{"m":{"input_per_1m":1}}}' }, /"default" → "m" must have/],
  [{ pricingData: "{}", pricingProfile: "none" }, /pricingProfile = "none" must be a profile of pricingData/],
  [{ pricingSource: "no-such-file.json" }, /pricingSource = "no-such-file.json" cannot be read \(ENOENT\)/],
])("%j makes configure() throw", async (options, message) => {
  const { configure } = await freshSdk();
  expect(() => configure({ enableCostCalculation: true, ...options })).toThrow(message);
  expect(() => configure({ ...options, enableCostCalculation: false })).not.toThrow();
});
