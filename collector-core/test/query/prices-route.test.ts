import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { PriceTable } from "../../src/api-schema/prices.js";
import { startCollector } from "../running-collector.js";

it("contract 9: GET /v1/prices answers the list prices with their day and their pages", async () => {
  const { get } = await startCollector();
  const table = await get<PriceTable>("/v1/prices");
  expect(table).toMatchObject({ enabled: true, file: null });
  expect(table.as_of).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(table.sources).toContainEqual({
    provider: "anthropic",
    source: expect.stringMatching(/^https:/) as string,
    as_of: expect.any(String) as string,
  });
  expect(table.models).toContainEqual({
    model: "claude-sonnet-4-5",
    provider: "anthropic",
    input_per_1m: 3,
    output_per_1m: 15,
    cached_input_per_1m: 0.3,
    cache_write_per_1m: 3.75,
    context_window: 200_000,
  });
  expect(table.models.length).toBeGreaterThan(150);
});

it("contract 9: GET /v1/prices answers the prices of the file that the collector read when it started", async () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-prices-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "prices.json");
  writeFileSync(file, '{"default": {"our-*": {"input_per_1m": 1, "output_per_1m": 2}}}');
  const { get } = await startCollector({ PRICING_FILE: file, PRICING_ENABLED: "false" });
  writeFileSync(file, "{}");
  expect(await get<PriceTable>("/v1/prices")).toEqual({
    enabled: false,
    file,
    as_of: null,
    sources: [],
    models: [{ model: "our-*", provider: null, input_per_1m: 1, output_per_1m: 2 }],
  });
});

it("contract 9: GET /v1/prices?model= answers the prices of names as spans have them", async () => {
  const { get, url } = await startCollector();
  const names = ["anthropic/claude-sonnet-4-5-20250929", "no such model", "__proto__"];
  const query = names.map((name) => `model=${encodeURIComponent(name)}`).join("&");
  const { models } = await get<PriceTable>(`/v1/prices?${query}`);
  expect(models).toEqual([
    expect.objectContaining({ model: names[0], provider: null, input_per_1m: 3, output_per_1m: 15 }),
  ]);
  const one = await get<PriceTable>("/v1/prices?model=claude-sonnet-4-5");
  expect(one.models.map(({ model }) => model)).toEqual(["claude-sonnet-4-5"]);
  for (const refused of [`model=${"m".repeat(257)}`, Array.from({ length: 51 }, () => "model=m").join("&")]) {
    const { status } = await fetch(`${url}/v1/prices?${refused}`);
    expect(status).toBe(400);
  }
});
