import type { LiveEvent, StatsQuery } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { createStatsStore } from "../../../src/renderer/store/stats-store.js";
import { fakeTime } from "../fake-api.js";
import { figures, stats } from "../features/metrics/stats.js";

function shownStats({ isOn = false } = {}) {
  const asked: StatsQuery[] = [];
  const time = fakeTime();
  const state = { paused: false };
  const store = createStatsStore({
    api: {
      getStats: async (query) => {
        asked.push(query);
        return stats({ group_by: query.group_by ?? null });
      },
      getConfig: async () => ({
        file: null,
        file_exists: false,
        not_writable: null,
        file_problems: [],
        config: { "sre.enabled": { value: isOn } } as never,
      }),
    },
    isPaused: () => state.paused,
    schedule: time.schedule,
    now: time.now,
  });
  const live = (spans: number, start = "12:00:00"): LiveEvent => ({
    type: "metrics",
    data: { start, step_seconds: 10, elapsed_seconds: 1, total: figures({ spans }), pipeline: [] },
  });
  return { store, asked, time, state, live };
}

describe("the figures of the Metrics page", () => {
  it("are requested for the view, with objectives if there are any", async () => {
    const { store, asked, time } = shownStats({ isOn: true });
    store.getState().show({ window: "15m", groupBy: "agent", filters: { env: "production" } });
    store.getState().watch();
    await time.pass(0);
    expect(asked).toEqual([
      { env: "production", window: "15m", group_by: "agent", groups: 7 },
      { env: "production", window: "15m", span_type: "llm", group_by: "agent", groups: 7 },
      { env: "production", window: "15m", span_type: "tool", group_by: "tool_name", groups: 50 },
      { window: "24h", step: "1h", group_by: "agent", groups: 50 },
    ]);
    expect(store.getState().panels?.view.groupBy).toBe("agent");
  });

  it("are refreshed while watched and changing, at most every two seconds", async () => {
    const { store, asked, time, state, live } = shownStats();
    store.getState().onLive(live(1));
    await time.pass(5000);
    expect(asked).toHaveLength(0);
    const stop = store.getState().watch();
    await time.pass(5000);
    const first = asked.length;
    for (let spans = 2; spans < 12; spans++) {
      store.getState().onLive(live(spans));
      await time.pass(200);
    }
    await time.pass(3000);
    expect(asked.length - first).toBe(2 * 3);
    store.getState().onLive(live(11));
    await time.pass(5000);
    expect(asked.length - first).toBe(2 * 3);
    state.paused = true;
    store.getState().onLive(live(50));
    stop();
    await time.pass(5000);
    expect(asked.length - first).toBe(2 * 3);
  });

  it("are fetched once when the page opens, and not again for the event that comes with the connection", async () => {
    const { store, asked, time, live } = shownStats();
    const stop = store.getState().watch();
    await time.pass(20);
    const first = asked.length;
    store.getState().onConnected(21);
    store.getState().onLive(live(7));
    await time.pass(5000);
    expect(asked).toHaveLength(first);
    stop();
  });

  it("are fetched again after a reconnect, unless paused or not watched", async () => {
    const { store, asked, time, state } = shownStats();
    store.getState().onConnected(0);
    await time.pass(5000);
    expect(asked).toHaveLength(0);
    const stop = store.getState().watch();
    await time.pass(5000);
    const first = asked.length;
    store.getState().onConnected(0);
    await time.pass(5000);
    expect(asked).toHaveLength(2 * first);
    state.paused = true;
    store.getState().onConnected(0);
    await time.pass(5000);
    expect(asked).toHaveLength(2 * first);
    stop();
  });

  it("stay when the collector does not answer", async () => {
    const { store, time } = shownStats();
    await store.getState().load();
    const failing = createStatsStore({
      api: {
        getStats: () => Promise.reject(new Error("no")),
        getConfig: () => Promise.reject(new Error("no")),
      },
      isPaused: () => false,
    });
    await failing.getState().load();
    expect(failing.getState().error).toBeDefined();
    expect(store.getState().panels).toBeDefined();
    await time.pass(0);
  });
});
