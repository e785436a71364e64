import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { costUsd } from "../../src/prices/price-list.js";
import { PRICES, PRICES_AS_OF } from "../../src/prices/index.js";
import { freshSdk, listenToConsole, recordingSdk, setEnvironment, type Sdk } from "../fresh-sdk.js";

const PRICING = JSON.stringify({
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
const MILLION = { input: 1e6, output: 1e6, cached: 0, cacheWrite: 0, reasoning: 0 };

async function call({ llm, currentSpan, takeSpans }: Sdk, attributes: Record<string, unknown>) {
  llm("call", () => {
    currentSpan().setAttributes(attributes);
  })();
  // What prices is loaded in the background.
  await vi.dynamicImportSettled();
  await new Promise((resolve) => setImmediate(resolve));
  return takeSpans()[0]?.attributes ?? {};
}

describe("the cost of a call", () => {
  it("counts cached input, cache writes and reasoning at prices of their own, else at what they refine", () => {
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

  it("is set with its profile where enableCostCalculation is on, and not where it is off", async () => {
    const attributes = { model: "gpt-5", tokens_input: 1_000_000, tokens_output: 100_000 };
    const on = await recordingSdk({ enableCostCalculation: true, pricingData: PRICING });
    expect(await call(on, attributes)).toMatchObject({ cost_usd: 2, pricing_profile: "default" });
    const off = await recordingSdk({ pricingData: PRICING });
    expect(await call(off, attributes)).not.toHaveProperty("cost_usd");
  });

  it.each([
    ["gpt-5", 1],
    ["GPT-5", 1],
    ["gpt-5-2025-08-07", 2],
    ["gpt-5-mini", 0.25],
    ["gpt-5-mini-2025-08-07", 0.25],
    ["something else", 100],
  ])("the longest match wins: %s costs %d", async (model, cost) => {
    const sdk = await recordingSdk({ enableCostCalculation: true, pricingData: PRICING });
    expect((await call(sdk, { model, tokens_input: 1_000_000 }))["cost_usd"]).toBe(cost);
  });

  it("comes from the file pricingSource and the profile pricingProfile; an argument wins over OBS_PRICING_DATA", async () => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-prices-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const pricingSource = join(directory, "prices.json");
    writeFileSync(pricingSource, PRICING);
    setEnvironment({ OBS_PRICING_DATA: "{}" });
    const sdk = await recordingSdk({
      enableCostCalculation: true,
      pricingSource,
      pricingProfile: "contract",
    });
    expect(await call(sdk, { model: "gpt-5", tokens_input: 1_000_000 })).toMatchObject({
      cost_usd: 0.5,
      pricing_profile: "contract",
    });
  });

  it("a model without a price has no cost and one warning; a span with a cost keeps it", async () => {
    const heard = listenToConsole();
    const sdk = await recordingSdk({
      enableCostCalculation: true,
      pricingData: PRICING,
      pricingProfile: "contract",
    });
    for (let count = 0; count < 3; count++)
      expect(await call(sdk, { model: "other", tokens_input: 1 })).not.toHaveProperty("cost_usd");
    expect(heard.warnings).toEqual([
      expect.stringContaining('No price for the model "other" in profile "contract"'),
    ]);
    expect((await call(sdk, { model: "gpt-5", tokens_input: 1, cost_usd: 7 }))["cost_usd"]).toBe(7);
    expect(await call(sdk, { model: "gpt-5" })).not.toHaveProperty("cost_usd");
  });

  it("a call above maxCostPerCallAlert is warned of", async () => {
    const heard = listenToConsole();
    const sdk = await recordingSdk({
      enableCostCalculation: true,
      pricingData: PRICING,
      maxCostPerCallAlert: 0.5,
    });
    await call(sdk, { model: "gpt-5", tokens_input: 400_000 });
    await call(sdk, { model: "gpt-5", tokens_input: 600_000 });
    expect(heard.warnings).toEqual([
      "[obspan] call (gpt-5) cost 0.6 USD, more than maxCostPerCallAlert = 0.5.",
    ]);
  });

  it.each([
    [{ pricingData: "no JSON" }, /pricingData must be JSON/],
    [{ pricingData: "[]" }, /pricingData must be an object of profiles/],
    [
      { pricingData: '{"default":{"m":{"input_per_1m":-1,"output_per_1m":1}}}' },
      /"default" → "m" must have input_per_1m and output_per_1m/,
    ],
    [{ pricingData: '{"default":{"m":{"input_per_1m":1}}}' }, /"default" → "m" must have/],
    [
      { pricingData: "{}", pricingProfile: "none" },
      /pricingProfile = "none" must be a profile of pricingData/,
    ],
    [{ pricingSource: "no-such-file.json" }, /pricingSource = "no-such-file.json" cannot be read \(ENOENT\)/],
  ])("%j makes configure() throw", async (options, message) => {
    const { configure } = await freshSdk();
    expect(() => configure({ enableCostCalculation: true, ...options })).toThrow(message);
    expect(() => configure({ ...options, enableCostCalculation: false })).not.toThrow();
  });
});

describe("the package's own prices", () => {
  it("are dated, and used where no others are given; spans that end before they are loaded are priced as they leave", async () => {
    expect(PRICES_AS_OF).toMatch(/^\d{4}-\d{2}$/);
    const sdk = await recordingSdk({ enableCostCalculation: true });
    sdk.llm("early", () =>
      sdk.currentSpan().setAttributes({ model: "gpt-5-mini", tokens_input: 1_000_000 }),
    )();
    await vi.dynamicImportSettled();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sdk.takeSpans()[0]?.attributes).toMatchObject({ cost_usd: 0.25 });
    for (const [model, cost] of [
      ["gpt-4o-2024-08-06", 2.5],
      ["openai/gpt-4o", 2.5],
      ["claude-sonnet-4-5-20250929", 3],
      ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3],
      ["claude-sonnet-4-20250514", 3],
      ["claude-sonnet-4@20250514", 3],
      ["gemini-2.5-flash", 0.3],
    ] as const)
      expect([model, (await call(sdk, { model, tokens_input: 1_000_000 }))["cost_usd"]]).toEqual([
        model,
        cost,
      ]);
  });

  it("know no model that only begins like one of theirs", async () => {
    const heard = listenToConsole();
    const sdk = await recordingSdk({ enableCostCalculation: true });
    await vi.dynamicImportSettled();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await call(sdk, { model: "gpt-5.99", tokens_input: 1 })).not.toHaveProperty("cost_usd");
    expect(heard.warnings).toHaveLength(1);
    expect(Object.keys(PRICES.default).length).toBeGreaterThan(500);
  });
});
