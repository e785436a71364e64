import type { NormalizedSpan, TraceComparison } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { CollectorError } from "../../../src/renderer/api/collector-api.js";
import { createCompareStore } from "../../../src/renderer/store/compare-store.js";
import { newPair, newStep } from "../features/compare/step-pairs.js";
import { fakeApi, summary } from "../fake-api.js";

/** Runs that started one after the other, the newest first. */
const runs = ["c", "b", "a"].map((id, index) =>
  summary(id, {
    root_name: "run",
    start_time: `2026-01-01T10:0${3 - index}:00Z`,
    prompts: [`support.reply@${14 - index}`],
  }),
);

function opened() {
  const { api, asked } = fakeApi(runs);
  const compared: string[] = [];
  const spans: string[] = [];
  let failure: CollectorError | undefined;
  let pair = newPair({ a: newStep("s1"), b: newStep("s2", { source_span_ids: ["s2", "wrapper"] }) });
  const none = { a: 0, b: 0, delta: 0 };
  const store = createCompareStore({
    api: {
      ...api,
      listTraces: async (query) => {
        asked.push(query);
        const traces = runs.filter(
          ({ trace_id: id, start_time: start }) =>
            (query.trace_id === undefined || id === query.trace_id) &&
            (query.until === undefined || start < query.until),
        );
        return { traces: traces.slice(0, query.limit), next_cursor: null };
      },
      compareTraces: async (a, b): Promise<TraceComparison> => {
        compared.push(`${a.traceId} ${b.traceId}`);
        if (failure !== undefined) throw failure;
        const of = (id: string) => runs.find(({ trace_id: each }) => each === id) ?? summary(id);
        return {
          a: of(a.traceId),
          b: of(b.traceId),
          deltas: {
            duration_ms: none,
            ttft_ms: none,
            tokens_input: none,
            tokens_output: none,
            cost_usd: none,
            errors: none,
          },
          scores: [],
          first_divergence: 0,
          has_all_texts: true,
          steps: [pair],
        };
      },
      getGroups: async () => ({
        groups: ["support.reply@9", "support.reply@14", "other@1", "support.reply@13", null].map((value) => ({
          value,
          runs: 2,
          error_ratio: 0,
          p50_ms: 1,
          p95_ms: 1,
          ttft_p50_ms: null,
          tokens_input: 0,
          tokens_output: 0,
          cost_usd: 0,
          cost_per_run_usd: 0,
          cost_source: null,
          scores: [],
        })),
        other: null,
        unread: 0,
      }),
      getSpan: async (key, id) => {
        spans.push(`${key.traceId} ${id}`);
        return { span_id: id } as NormalizedSpan;
      },
    },
    schedule: (task) => task(),
    now: () => 0,
  });
  return {
    store,
    compared,
    spans,
    asked,
    fail: (error: CollectorError) => (failure = error),
    change: (to: typeof pair) => (pair = to),
  };
}

describe("the store of a comparison", () => {
  it("keeps what it shows when the URL names the run that was found", async () => {
    const { store, compared } = opened();
    await store.getState().open({ a: undefined, b: { traceId: "b", tenant: undefined } });
    await store.getState().open({ a: { traceId: "a", tenant: undefined }, b: { traceId: "b", tenant: "" } });
    expect(compared).toEqual(["a b"]);
    expect(store.getState().comparison).toBeDefined();
  });

  it("finds the latest run with another version of the prompt, and the figures of all versions", async () => {
    const { store, asked, compared } = opened();
    await store.getState().open({ a: undefined, b: { traceId: "c", tenant: undefined }, versus: "prompt" });
    expect(asked.at(-1)).toMatchObject({ query: "prompt:support.reply -prompt:support.reply@14" });
    expect(compared).toEqual(["b c"]);
    await expect
      .poll(() => store.getState().prompt)
      .toMatchObject({
        name: "support.reply",
        a: "13",
        b: "14",
        versions: [{ version: "14" }, { version: "13" }, { version: "9" }],
      });
    expect(await store.getState().findVersion("9")).toEqual({ traceId: "c", tenant: "" });
    expect(asked.at(-1)).toMatchObject({ query: "prompt:support.reply@9" });
  });

  it("compares a run with the latest earlier one of its name, and says when there is none", async () => {
    const { store, compared } = opened();
    await store.getState().open({ a: undefined, b: { traceId: "b", tenant: undefined } });
    expect(compared).toEqual(["a b"]);
    expect(store.getState()).toMatchObject({ phase: "ready", found: { a: { traceId: "a", tenant: "" } } });
    await store.getState().open({ a: undefined, b: { traceId: "a", tenant: undefined } });
    expect(store.getState().phase).toBe("alone");
  });

  it("loads the whole spans of a step, its wrappers included, and again when it has changed", async () => {
    const { store, spans, change } = opened();
    await store.getState().open({ a: { traceId: "a", tenant: "" }, b: { traceId: "b", tenant: "" } });
    const pair = store.getState().comparison?.steps[0];
    if (pair === undefined) throw new Error("no step");
    store.getState().show(pair);
    await expect
      .poll(() => store.getState().detail?.b?.map(({ span_id: id }) => id))
      .toEqual(["s2", "wrapper"]);
    expect(spans).toEqual(["a s1", "b s2", "b wrapper"]);
    await store.getState().refresh();
    expect(spans).toHaveLength(3);
    change({ ...pair, differences: ["output"] });
    await store.getState().refresh();
    await expect.poll(() => spans.length).toBe(6);
  });

  it("refreshes when one of its runs changes, and keeps what it shows when one is gone", async () => {
    const { store, compared, fail } = opened();
    await store.getState().open({ a: { traceId: "a", tenant: "" }, b: { traceId: "b", tenant: "" } });
    const stop = store.getState().watch();
    store.getState().onLive({ type: "trace", data: summary("c") });
    expect(compared).toHaveLength(1);
    fail(new CollectorError("trace_not_found", "gone"));
    store.getState().onLive({ type: "trace", data: summary("b") });
    await expect.poll(() => store.getState().error?.code).toBe("trace_not_found");
    expect(store.getState()).toMatchObject({ phase: "ready", comparison: { a: { trace_id: "a" } } });
    stop();
    const count = compared.length;
    store.getState().onLive({ type: "trace", data: summary("b") });
    expect(compared).toHaveLength(count);
  });
});
