import type { CallContext } from "@obspan/collector-core/api-schema";
import { expect, it } from "vitest";
import { createContextStore, findingsIn } from "../../../src/renderer/store/context-store.js";

const KEY = { traceId: "t", tenant: "" };
const contextOf = (spanId: string): CallContext => ({
  span_id: spanId,
  model: null,
  agent: null,
  call: 1,
  calls_total: 1,
  window_tokens: null,
  prices: null,
  tokens: 0,
  tokens_reported: false,
  tokens_cached: null,
  parts: [],
  calls: [],
  compared_with: null,
  cache_break: null,
  duplicates: [],
});

const CALL = {
  name: "call",
  call: 1,
  start_ms: 0,
  running: false,
  tokens: 1,
  tokens_reported: true,
  tokens_cached: null,
  tokens_again: null,
  again_cost_usd: null,
  cost_usd: null,
  cost_source: null,
  ttft_ms: null,
};

it("shows the context that was asked for last, and the error of a call that has none", async () => {
  interface Answer {
    readonly resolve: (context: CallContext) => void;
    readonly reject: (error: Error) => void;
  }
  const answers = new Map<string, Answer>();
  const store = createContextStore({
    api: {
      getContext: (_key, spanId) =>
        new Promise<CallContext>((resolve, reject) => answers.set(spanId, { resolve, reject })),
    },
  });
  const first = store.getState().open(KEY, "a");
  const second = store.getState().open(KEY, "b");
  answers.get("b")?.resolve(contextOf("b"));
  answers.get("a")?.resolve(contextOf("a"));
  await Promise.all([first, second]);
  expect(store.getState()).toMatchObject({ spanId: "b", context: { span_id: "b" } });
  const third = store.getState().open(KEY, "c");
  answers.get("c")?.reject(new Error("no answer"));
  await third;
  expect(store.getState()).toMatchObject({ spanId: "c", context: undefined, error: {} });
});

it("counts a broken cache that cost something, and repeated texts", () => {
  const cacheBreak = {
    cause: "history",
    compared_with: "a",
    at_token: 1,
    part: "user",
    lines: [],
    tokens_again: 2000,
    price_per_1m_usd: 1,
    gap_ms: 1,
    ttft_delta_ms: null,
  } as const;
  const costing = (cost: number | null): CallContext => ({
    ...contextOf("a"),
    cache_break: { ...cacheBreak, lines: [], cost_usd: cost },
  });
  expect([0.002, 0.0001, null].map((cost) => findingsIn(costing(cost)))).toEqual([1, 0, 1]);
});

it("remembers the calls of a trace whose cache broke and cost something, and forgets them with the trace", async () => {
  const call = (id: string, cause: "history" | null, usd: number | null = null) => ({
    ...CALL,
    ...{ span_id: id, cause, tokens_again: 2000, again_cost_usd: usd },
  });
  const calls = new Map([
    ["a", [call("a", null), call("b", "history", 0.002), call("cheap", "history", 0.0001)]],
    ["c", [call("c", "history"), call("b", null)]],
  ]);
  const store = createContextStore({
    api: {
      getContext: (_key, spanId) => Promise.resolve({ ...contextOf(spanId), calls: calls.get(spanId) ?? [] }),
    },
  });
  await store.getState().open(KEY, "a");
  expect([...store.getState().broken]).toEqual([["b", { tokens: 2000, costUsd: 0.002 }]]);
  // A running trace may tell more of a call that was known.
  await store.getState().open(KEY, "c");
  expect([...store.getState().broken]).toEqual([["c", { tokens: 2000, costUsd: undefined }]]);
  await store.getState().open({ traceId: "other", tenant: "" }, "d");
  expect(store.getState().broken.size).toBe(0);
});

it("reads as few contexts as tell of all calls, and each only once", async () => {
  const call = (id: string, cause: "history" | null) => ({ ...CALL, span_id: id, cause });
  const asked: string[] = [];
  const store = createContextStore({
    api: {
      getContext: (_key, spanId) => {
        asked.push(spanId);
        const ids = spanId === "c" ? ["b", "c"] : [spanId];
        return Promise.resolve({ ...contextOf(spanId), calls: ids.map((id) => call(id, "history")) });
      },
    },
  });
  const calls = [["a", "b", "c"], ["x"]];
  await store.getState().findBreaks(KEY, calls);
  expect(asked).toEqual(["c", "a", "x"]);
  expect([...store.getState().broken.keys()]).toEqual(["b", "c", "a", "x"]);
  expect(store.getState().context).toBeUndefined();
  await store.getState().findBreaks(KEY, [["a", "b", "c", "d"], ["x"]]);
  expect(asked).toEqual(["c", "a", "x", "d"]);
  const many = Array.from({ length: 50 }, (_, index) => [`call ${index}`]);
  await store.getState().findBreaks({ traceId: "other", tenant: "" }, many);
  expect(asked).toHaveLength(4 + 12);
});
