import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenToConsole, recordingSdk, setEnvironment } from "../fresh-sdk.js";
import { pricedCall, PRICING } from "./priced-call.js";

describe("the cost of a call", () => {
  it("is set with its profile only if enableCostCalculation is on", async () => {
    const attributes = { model: "gpt-5", tokens_input: 1_000_000, tokens_output: 100_000 };
    const on = await recordingSdk({ enableCostCalculation: true, pricingData: PRICING });
    expect(await pricedCall(on, attributes)).toMatchObject({ cost_usd: 2, pricing_profile: "default" });
    const off = await recordingSdk({ pricingData: PRICING });
    expect(await pricedCall(off, attributes)).not.toHaveProperty("cost_usd");
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
    expect((await pricedCall(sdk, { model, tokens_input: 1_000_000 }))["cost_usd"]).toBe(cost);
  });

  it("uses the file pricingSource and the profile pricingProfile, which win over OBS_PRICING_DATA", async () => {
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
    expect(await pricedCall(sdk, { model: "gpt-5", tokens_input: 1_000_000 })).toMatchObject({
      cost_usd: 0.5,
      pricing_profile: "contract",
    });
  });

  it("is left out with one warning for a model without a price, and not replaced if the span has one", async () => {
    const heard = listenToConsole();
    const sdk = await recordingSdk({
      enableCostCalculation: true,
      pricingData: PRICING,
      pricingProfile: "contract",
    });
    for (let count = 0; count < 3; count++)
      expect(await pricedCall(sdk, { model: "other", tokens_input: 1 })).not.toHaveProperty("cost_usd");
    expect(heard.warnings).toEqual([
      expect.stringContaining('No price for the model "other" in profile "contract"'),
    ]);
    expect((await pricedCall(sdk, { model: "gpt-5", tokens_input: 1, cost_usd: 7 }))["cost_usd"]).toBe(7);
    expect(await pricedCall(sdk, { model: "gpt-5" })).not.toHaveProperty("cost_usd");
  });

  it("above maxCostPerCallAlert is logged as a warning", async () => {
    const heard = listenToConsole();
    const sdk = await recordingSdk({
      enableCostCalculation: true,
      pricingData: PRICING,
      maxCostPerCallAlert: 0.5,
    });
    await pricedCall(sdk, { model: "gpt-5", tokens_input: 400_000 });
    await pricedCall(sdk, { model: "gpt-5", tokens_input: 600_000 });
    expect(heard.warnings).toEqual([
      "[obspan] call (gpt-5) cost 0.6 USD, more than maxCostPerCallAlert = 0.5.",
    ]);
  });
});
