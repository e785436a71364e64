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
  tokens: 0,
  tokens_reported: false,
  tokens_cached: null,
  parts: [],
  calls: [],
  compared_with: null,
  cache_break: null,
  duplicates: [],
});

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
