import { describe, expect, it, vi } from "vitest";
import { PRICES, PRICES_AS_OF } from "../../src/prices/index.js";
import { listenToConsole, recordingSdk } from "../fresh-sdk.js";
import { pricedCall } from "./priced-call.js";

describe("the package's own prices", () => {
  it("have a date, apply without configured prices, and also price spans that end before they are loaded", async () => {
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
      expect([model, (await pricedCall(sdk, { model, tokens_input: 1_000_000 }))["cost_usd"]]).toEqual([
        model,
        cost,
      ]);
  });

  it("do not match a model whose name only starts like a known name", async () => {
    const heard = listenToConsole();
    const sdk = await recordingSdk({ enableCostCalculation: true });
    await vi.dynamicImportSettled();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await pricedCall(sdk, { model: "gpt-5.99", tokens_input: 1 })).not.toHaveProperty("cost_usd");
    expect(heard.warnings).toHaveLength(1);
    expect(Object.keys(PRICES.default).length).toBeGreaterThan(500);
  });
});
