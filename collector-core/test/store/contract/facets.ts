import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { aModelCall, anEvaluation, aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** Facets (contract 3). */
export function describeFacets(createStore: CreateStore): void {
  describe("facets", () => {
    const harness = createHarness(createStore);
    const { open, append, idsOf } = harness;

    it("counts each value once a trace, over the traces that the filter chooses", async () => {
      await append([
        aModelCall({ trace_id: "a" }),
        aModelCall({ trace_id: "a" }),
        anEvaluation("x", 1, { trace_id: "a" }),
      ]);
      await append(aSpan({ trace_id: "a", span_type: "tool", parent_span_id: "p" }), { service: "worker" });
      await append(
        aModelCall({ trace_id: "b", attributes: { model: "large", agent: "planner" }, status: "ERROR" }),
      );
      expect(await harness.store.facets({})).toEqual({
        total: 2,
        cost_usd: expect.closeTo(0.03, 10) as number,
        cost_source: "reported",
        service: [
          { value: "shop", count: 2 },
          { value: "worker", count: 1 },
        ],
        env: [{ value: "production", count: 2 }],
        agent: [{ value: "planner", count: 1 }],
        model: [
          { value: "large", count: 1 },
          { value: "small", count: 1 },
        ],
        status: [
          { value: "ERROR", count: 1 },
          { value: "OK", count: 1 },
        ],
        span_type: [
          { value: "llm", count: 2 },
          { value: "evaluation", count: 1 },
          { value: "tool", count: 1 },
        ],
        tenant: [],
        evaluation_type: [{ value: "x", count: 1 }],
        version: [],
        provider: [],
        tool: [],
        prompt: [],
        error_type: [{ value: "internal", count: 1 }],
        distinct: {
          service: 2,
          env: 1,
          agent: 1,
          model: 2,
          status: 2,
          span_type: 3,
          tenant: 0,
          evaluation_type: 1,
          version: 0,
          provider: 0,
          tool: 0,
          prompt: 0,
          error_type: 1,
        },
      });
      expect(await harness.store.facets({ model: "large" })).toMatchObject({
        total: 1,
        service: [{ value: "shop", count: 1 }],
      });
      expect(await harness.store.facets({ q: "nowhere" })).toMatchObject({ total: 0, service: [] });
    });

    it("keeps values apart that would be the same written one after the other", async () => {
      await append([
        aModelCall({ trace_id: "a", attributes: { model: "x", agent: "yz" } }),
        aModelCall({ trace_id: "b", attributes: { model: "xy", agent: "z" } }),
      ]);
      expect(await idsOf({ model: "x" })).toEqual(["a"]);
      expect(await idsOf({ model: "xy" })).toEqual(["b"]);
    });

    it("shows at most 200 values, the most frequent first", async () => {
      await open({ maxTraces: 1000 });
      await append(
        Array.from({ length: 250 }, (_, n) =>
          aModelCall({ trace_id: `t${n}`, attributes: { model: `m${n}` } }),
        ),
      );
      await append(aModelCall({ trace_id: "again", attributes: { model: "m249" } }));
      const { model, distinct } = await harness.store.facets({});
      expect(model).toHaveLength(200);
      expect(model[0]).toEqual({ value: "m249", count: 2 });
      expect(distinct).toMatchObject({ model: 250, service: 1 });
      const found = await harness.store.facets({ contains: "M24" });
      expect(found.model.map(({ value }) => value)).toEqual([
        "m249",
        "m24",
        ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `m24${n}`),
      ]);
      expect(found).toMatchObject({ total: 251, service: [], distinct: { model: 11, service: 0 } });
    });

    it("orders by how many traces have a value, ties by name, whichever came first", async () => {
      await open({ maxTraces: 2000 });
      const counts = new Map<string, number>();
      const spans: Span[] = [];
      for (let n = 0; n < 900; n++) {
        const name = `agent ${(n * 7919) % 450}`;
        const times = n < 450 ? 1 : n % 3;
        counts.set(name, (counts.get(name) ?? 0) + times);
        for (let time = 0; time < times; time++)
          spans.push(aModelCall({ trace_id: `t${n}.${time}`, attributes: { agent: name } }));
      }
      await append(spans);
      const { agent } = await harness.store.facets({});
      const ordered = [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
      expect(agent).toEqual(ordered.slice(0, 200));
    });
  });

  describe("facets over all filters", () => {
    const harness = createHarness(createStore);
    const { append } = harness;

    it("contract 3: counts evaluation types once a trace, and adds up the cost", async () => {
      await append([
        aModelCall({ trace_id: "a" }),
        anEvaluation("relevance", 1, { trace_id: "a" }),
        anEvaluation("relevance", 0, { trace_id: "a" }),
        aModelCall({ trace_id: "b" }),
        anEvaluation("relevance", 1, { trace_id: "b" }),
        anEvaluation("length:1-80", 1, { trace_id: "b" }),
      ]);
      expect(await harness.store.facets({})).toMatchObject({
        cost_usd: expect.closeTo(0.02, 10) as number,
        evaluation_type: [
          { value: "relevance", count: 2 },
          { value: "length", count: 1 },
        ],
      });
      expect(await harness.store.facets({ has_evaluation: "length" })).toMatchObject({
        total: 1,
        cost_usd: 0.01,
      });
    });

    it("leaves out absurd costs, which would hide all others, and sums the largest ones", async () => {
      const attributes = { model: "m", cost_usd: 1e9, tokens_input: 1, tokens_output: 1 };
      await append([
        aModelCall({ trace_id: "a", attributes }),
        aModelCall({ trace_id: "a", attributes }),
        aModelCall({ trace_id: "b", attributes }),
        aModelCall({ trace_id: "b", attributes: { ...attributes, cost_usd: 1.7e308 } }),
        aModelCall({ trace_id: "c", attributes: { ...attributes, cost_usd: 0.25 } }),
      ]);
      expect((await harness.store.facets({})).cost_usd).toBe(3e9 + 0.25);
      const first = await harness.store.list({ order: "costliest", limit: 1 });
      expect(first.traces).toMatchObject([{ trace_id: "a", cost_usd: 2e9 }]);
      const cursor = first.nextCursor ?? "";
      const { traces } = await harness.store.list({ order: "costliest", limit: 5, cursor });
      expect(traces.map(({ trace_id: traceId }) => traceId)).toEqual(["b", "c"]);
    });
  });
}
