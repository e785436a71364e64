import { expect, it, vi } from "vitest";
import { listenToConsole, recordingSdk } from "../fresh-sdk.js";
import type { Span } from "../../src/wire/index.js";

it("beforeSend gets each span after the mask, and what it returns is sent", async () => {
  const seen: unknown[] = [];
  const { tool, takeSpans } = await recordingSdk({
    mask: (text) => text.replaceAll("secret", "***"),
    beforeSend: (span) => {
      seen.push(span.attributes);
      return { ...span, name: `shop.${span.name}`, attributes: { ...span.attributes, team: "a" } };
    },
  });
  tool("search", (query: string) => query)("secret");
  const attributes = { tool_name: "search", input_text: "***", output_text: "***" };
  expect(seen).toEqual([attributes]);
  expect(takeSpans()).toMatchObject([{ name: "shop.search", attributes: { ...attributes, team: "a" } }]);
});

it("null drops a span, and so does a throw or another value; they are counted and the app is not disturbed", async () => {
  const heard = listenToConsole();
  const results: (() => unknown)[] = [
    () => null,
    () => {
      throw new Error("secret");
    },
    () => undefined,
    () => Promise.resolve({}),
    () => "span",
  ];
  const { task, takeSpans, stats } = await recordingSdk({
    beforeSend: (span) => {
      const result = results.shift();
      return result === undefined ? span : (result() as Span | null);
    },
  });
  for (let call = 0; call < 6; call++) expect(task(`step ${call}`, () => 1)()).toBe(1);
  expect(stats()).toMatchObject({ enqueued: 6, pending: 1, dropped: { before_send: 5 } });
  expect(takeSpans().map(({ name }) => name)).toEqual(["step 5"]);
  expect(heard.warnings.join()).not.toContain("secret");
  expect(heard.warnings).toHaveLength(1);
});

it("ids cannot be changed or lost, and a span without a name keeps its own", async () => {
  const { task, takeSpans, currentSpan } = await recordingSdk({
    beforeSend: (span) => ({ ...span, name: "", trace_id: "other", span_id: "other" }),
  });
  const spanId = task("step", () => currentSpan().spanId)();
  expect(takeSpans()).toMatchObject([
    { name: "step", span_id: spanId, trace_id: expect.stringMatching(/^[\da-f]{32}$/) },
  ]);
});

it("a call that is priced later has its cost", async () => {
  const { llm, takeSpans } = await recordingSdk({
    enableCostCalculation: true,
    pricingData: JSON.stringify({ default: { m: { input_per_1m: 1, output_per_1m: 1 } } }),
    beforeSend: (span) => span,
  });
  llm({ model: "m" }, () => ({ text: "Hi", usage: { input_tokens: 1_000_000, output_tokens: 0 } }))();
  // The price table is a dynamic import.
  await vi.dynamicImportSettled();
  expect(takeSpans()).toMatchObject([{ attributes: { cost_usd: 1 } }]);
});
