import type { TraceGroup } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { CollectorError } from "../../../src/renderer/api/collector-api.js";
import { createGroupsStore } from "../../../src/renderer/store/groups-store.js";
import { fakeTime, summary } from "../fake-api.js";

const group = (value: string): TraceGroup => ({
  value,
  runs: 1,
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
});

function storeOf() {
  const time = fakeTime();
  const state = { asked: [] as string[], failure: undefined as Error | undefined };
  const store = createGroupsStore({
    api: {
      getGroups: async ({ by, order, agent = "" }) => {
        state.asked.push(`${by} ${order} ${agent}`.trim());
        if (state.failure !== undefined) throw state.failure;
        return { groups: [group(by)], other: null, unread: 0 };
      },
    },
    isPaused: () => false,
    schedule: time.schedule,
    now: time.now,
  });
  const values = (): (string | null)[] | undefined =>
    store.getState().answer?.groups.map(({ value }) => value);
  return { store, state, time, values };
}

describe("the groups of traces", () => {
  it("come with those of as long a time before, if the filters have a start", async () => {
    const time = fakeTime();
    const asked: unknown[] = [];
    const store = createGroupsStore({
      api: {
        getGroups: async ({ since, until }) => {
          asked.push([since, until]);
          return { groups: [group(until ?? "now")], other: null, unread: 0 };
        },
      },
      isPaused: () => false,
      schedule: time.schedule,
      now: () => Date.parse("2026-11-21T12:00:00Z"),
    });
    store.getState().ask({ filters: { since: "2026-11-20T12:00:00.000Z" }, by: "agent", order: "runs" });
    store.getState().watch();
    await time.pass(1);
    expect(asked).toEqual([
      ["2026-11-20T12:00:00.000Z", undefined],
      ["2026-11-19T12:00:00.000Z", "2026-11-20T12:00:00.000Z"],
    ]);
    expect(store.getState().answer?.groups).toMatchObject([{ value: "now" }]);
    const before = store.getState().before;
    expect([before?.isWhole, [...(before?.groups.keys() ?? [])]]).toEqual([
      true,
      ["2026-11-20T12:00:00.000Z"],
    ]);

    for (const since of ["yesterday", "2026-12-01T00:00:00Z"]) {
      store.getState().ask({ filters: { since }, by: "agent", order: "runs" });
      await time.pass(1);
      expect(store.getState().before).toBeUndefined();
    }
  });

  it("are fetched once when they are shown, and again when the question or a trace changes", async () => {
    const { store, state, time, values } = storeOf();
    store.getState().ask({ filters: {}, by: "agent", order: "runs" });
    const leave = store.getState().watch();
    await time.pass(5000);
    expect([state.asked, values()]).toEqual([["agent runs"], ["agent"]]);
    store.getState().ask({ filters: {}, by: "agent", order: "runs" });
    store.getState().ask({ filters: { agent: "planner" }, by: "agent", order: "p95" });
    expect(store.getState()).toMatchObject({ isStale: true, answer: { groups: [{ value: "agent" }] } });
    await time.pass(5000);
    expect(state.asked).toEqual(["agent runs", "agent p95 planner"]);
    store.getState().onLive({ type: "trace", data: summary("a") });
    await time.pass(5000);
    expect(state.asked).toHaveLength(3);
    leave();
    store.getState().onLive({ type: "trace", data: summary("a") });
    await time.pass(5000);
    expect(state.asked).toHaveLength(3);
  });

  it("do not stand under another key, and stay when a refresh fails", async () => {
    const { store, state, time, values } = storeOf();
    store.getState().ask({ filters: {}, by: "agent", order: "runs" });
    store.getState().watch();
    await time.pass(5000);
    store.getState().ask({ filters: {}, by: "model", order: "runs" });
    expect(values()).toBeUndefined();
    await time.pass(5000);
    state.failure = new CollectorError("overloaded", "Busy.");
    await store.getState().load();
    expect(values()).toEqual(["model"]);
    expect(store.getState().error).toMatchObject({ code: "overloaded" });
    store.getState().ask({ filters: { agent: "x" }, by: "model", order: "runs" });
    await time.pass(5000);
    expect(values()).toBeUndefined();
  });
});
