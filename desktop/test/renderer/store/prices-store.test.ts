import type { PriceTable } from "@obspan/collector-core/api-schema";
import { expect, it } from "vitest";
import { createPricesStore } from "../../../src/renderer/store/prices-store.js";

const TABLE: PriceTable = { enabled: true, file: null, as_of: null, sources: [], models: [] };

it("asks for each model once, of made-up names at most 50 at a time, and again after a failure", async () => {
  const asked: (readonly string[])[] = [];
  let isDown = true;
  const store = createPricesStore({
    api: {
      findPrices: (models) => {
        asked.push(models);
        if (isDown) return Promise.reject(new Error("down"));
        const found = models.filter((model) => model.startsWith("known"));
        return Promise.resolve({
          ...TABLE,
          models: found.map((model) => ({ model, provider: null, input_per_1m: 3, output_per_1m: 15 })),
        });
      },
    },
  });
  await store.getState().find(["known", "free"]);
  expect(store.getState().byModel.size).toBe(0);
  isDown = false;
  await store.getState().find(["known", "free", "x".repeat(257)]);
  await store.getState().find(["free", "known"]);
  expect(asked).toEqual([
    ["known", "free"],
    ["known", "free"],
  ]);
  expect(store.getState().byModel).toEqual(
    new Map([
      [
        "known",
        {
          input_per_1m: 3,
          cached_input_per_1m: 3,
          cache_write_per_1m: 3,
          output_per_1m: 15,
          reasoning_per_1m: 15,
        },
      ],
      ["free", null],
    ]),
  );
  for (let round = 0; round < 30; round++)
    await store.getState().find(Array.from({ length: 80 }, (_, index) => `made-up ${round} ${index}`));
  expect(asked.slice(2).every(({ length }) => length === 50)).toBe(true);
  expect(store.getState().byModel.size).toBeLessThanOrEqual(1000);
});
