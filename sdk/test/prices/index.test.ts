import { describe, expect, it, vi } from "vitest";
import { createPriceList, PRICES, PRICES_AS_OF, PRICE_SOURCES } from "../../src/prices/index.js";
import { listenToConsole, recordingSdk } from "../fresh-sdk.js";
import { recordedExchanges } from "../replay/exchange.js";
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

  it("name the page and the day of every provider", () => {
    for (const { source, asOf } of PRICE_SOURCES) {
      expect(source).toMatch(/^https:\/\//);
      expect(asOf).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
    expect(new Set(PRICE_SOURCES.map(({ provider }) => provider))).toEqual(
      new Set(["openai", "anthropic", "google", "mistral", "cohere", "deepseek", "xai", "groq", "bedrock"]),
    );
  });

  it.each([
    ["gpt-4-0613", 30, 60],
    ["gpt-35-turbo", 0.5, 1.5],
    ["gpt-3.5-turbo-instruct:20230824-v2", 1.5, 2],
    ["gpt-4o-2024-05-13", 5, 15],
    ["gpt-4o-2024-11-20", 2.5, 10],
    ["gpt-5-2025-08-07", 1.25, 10],
    ["anthropic.claude-3-5-sonnet-20240620-v1:0", 3, 15],
    ["us.anthropic.claude-opus-4-6-v1", 5, 25],
    ["claude-opus-4-1-20250805", 15, 75],
    ["gemini-2.5-flash", 0.3, 2.5],
    ["mistral-large-2411", 2, 6],
    ["mistral-large-2512", 0.5, 1.5],
    ["mistral-medium-latest", 1.5, 7.5],
    ["command-r-plus-08-2024", 2.5, 10],
    ["deepseek-reasoner", 0.28, 0.42],
    ["grok-4-1-fast-non-reasoning", 0.2, 0.5],
    ["openai/gpt-oss-120b", 0.15, 0.6],
    ["us.amazon.nova-lite-v1:0", 0.06, 0.24],
    ["eu.amazon.nova-2-lite-v1:0", 0.33, 2.75],
    ["global.amazon.nova-2-lite-v1:0", 0.3, 2.5],
  ])("have the price of %s", (model, input, output) => {
    expect(createPriceList(PRICES.default).find(model)).toMatchObject({
      input_per_1m: input,
      output_per_1m: output,
    });
  });

  it("have a price for every recorded model of the listed providers that answered", () => {
    const prices = createPriceList(PRICES.default);
    // A model of an experiment without a price, and a host whose prices are not listed.
    const unlisted = ["openrouter", "together", "voyage", "ollama", "ibm.watsonx.ai"];
    const models = recordedExchanges()
      .filter(
        ({ provider, response, api }) =>
          response.status === 200 && api !== "rerank" && !unlisted.includes(provider),
      )
      .flatMap(({ expect: { model } }) => model ?? []);
    expect(models.length).toBeGreaterThan(40);
    expect([...new Set(models)].filter((model) => prices.find(model) === undefined)).toEqual([]);
  });
});
