import { expect, it } from "vitest";
import { CONTEXT_WINDOWS } from "../../src/prices/context-windows.js";
import { PRICES, WINDOW_SOURCES } from "../../src/prices/index.js";
import { LIST_PRICES } from "../../src/prices/list-prices.js";
import { costUsd, createPriceList } from "../../src/prices/price-list.js";

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

it("finds the exact name in any letter case, otherwise the longest glob that matches", () => {
  const names = ["gpt-5", "gpt-5*", "*", "a*z", "*/gpt-5-mini-20*", "*gpt-5-mini*", "GPT-5-Mini"];
  const profile = Object.fromEntries(
    names.map((name, index) => [name, { input_per_1m: index, output_per_1m: 0 }]),
  );
  const { find } = createPriceList(profile);
  const nameOf = (model: string): string | undefined => names[find(model)?.input_per_1m ?? -1];
  expect(nameOf("gpt-5")).toBe("gpt-5");
  expect(nameOf("Gpt-5-MINI")).toBe("GPT-5-Mini");
  expect(nameOf("gpt-5-nano")).toBe("gpt-5*");
  expect(nameOf("openai/gpt-5-mini-2025-08-07")).toBe("*/gpt-5-mini-20*");
  expect(nameOf("x-gpt-5-mini")).toBe("*gpt-5-mini*");
  expect(nameOf("abcz")).toBe("a*z");
  expect(nameOf("b")).toBe("*");
  expect(createPriceList({ "gpt-5": { input_per_1m: 1, output_per_1m: 1 } }).find("gpt-6")).toBeUndefined();
});

it("finds the same price again after more names than the cache holds", () => {
  const { find } = createPriceList({ "known-*": { input_per_1m: 1, output_per_1m: 2 } });
  for (let index = 0; index < 5000; index++) expect(find(`made-up-${index}`)).toBeUndefined();
  for (let index = 0; index < 5000; index++) expect(find(`known-${index}`)?.output_per_1m).toBe(2);
  expect(find("made-up-1")).toBeUndefined();
  expect(find(`known-${"x".repeat(1000)}`)?.input_per_1m).toBe(1);
});

it("agrees with a comparison of every row, for every model of the price table", () => {
  const rows = Object.entries(PRICES.default)
    .sort(([a], [b]) => lengthOf(b) - lengthOf(a))
    .map(([pattern, price]) => ({ isOf: matcherOf(pattern.toLowerCase()), price }));
  const { find } = createPriceList(PRICES.default);
  const bases = Object.keys(PRICES.default).filter((name) => !name.includes("*"));
  for (const base of bases) {
    for (const name of [base, `openai/${base}`, `eu.anthropic.${base}-20250101-v1:0`, `${base}-other`]) {
      const expected = rows.find(({ isOf }) => isOf(name));
      expect(find(name), name).toEqual(expected?.price);
    }
  }
});

/** The length of an exact name counts half a character more. */
function lengthOf(pattern: string): number {
  return pattern.replaceAll("*", "").length + (pattern.includes("*") ? 0 : 0.5);
}

function matcherOf(pattern: string): (name: string) => boolean {
  const literals = pattern.split("*");
  const escaped = literals.map((literal) => literal.replaceAll(".", String.raw`\.`));
  const expression = new RegExp(`^${escaped.join(".*")}$`, "s");
  // Most rows lack a part: an expression takes ten times as long to find that.
  return (name) => literals.every((literal) => name.includes(literal)) && expression.test(name);
}

it("has the context window of models that are known, with its source, and of no others", () => {
  const { find } = createPriceList(PRICES.default);
  expect(find("claude-sonnet-4-5-20250929")?.context_window).toBe(200_000);
  expect(find("openai/gpt-4.1-mini")?.context_window).toBe(1_047_576);
  expect(find("gpt-4.5-preview")).not.toHaveProperty("context_window");
  for (const { provider, models } of CONTEXT_WINDOWS) {
    const listed = LIST_PRICES.filter((each) => each.provider === provider).flatMap(({ rows }) =>
      Object.keys(rows),
    );
    for (const model of Object.values(models).flat()) expect(listed).toContain(model);
  }
  for (const { source, asOf } of WINDOW_SOURCES) {
    expect(source).toMatch(/^https:/);
    expect(asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  }
});
