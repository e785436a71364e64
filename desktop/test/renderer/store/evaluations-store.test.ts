import { describe, expect, it } from "vitest";
import type { CollectorApi } from "../../../src/renderer/api/collector-api.js";
import { createEvaluationsStore } from "../../../src/renderer/store/evaluations-store.js";
import { fakeTime } from "../fake-api.js";

/** A store with a collector that counts the requests of the page. */
function countedStore() {
  const time = fakeTime();
  const state = { loads: 0 };
  const api: Pick<CollectorApi, "getEvaluationSummary" | "listEvaluations"> = {
    getEvaluationSummary: async () => {
      state.loads++;
      return {} as never;
    },
    listEvaluations: async () => ({ evaluations: [], next_cursor: null }),
  };
  const store = createEvaluationsStore({ api: api as CollectorApi, schedule: time.schedule, now: time.now });
  return { store, time, state };
}

describe("the page of evaluations", () => {
  it("is fetched again after a reconnect", async () => {
    const { store, time, state } = countedStore();
    store.getState().watch();
    await time.pass(5000);
    expect(state.loads).toBe(1);
    store.getState().onConnected(0);
    await time.pass(5000);
    expect(state.loads).toBe(2);
  });

  it("is fetched once for a reconnect and its missed events", async () => {
    const { store, time, state } = countedStore();
    store.getState().watch();
    await time.pass(5000);
    store.getState().onConnected(0);
    store.getState().onLive({ type: "reset", data: { reason: "gap" } });
    store.getState().onLive({ type: "evaluation", data: {} as never });
    await time.pass(5000);
    expect(state.loads).toBe(2);
  });

  it("is not fetched while it is not watched", async () => {
    const { store, time, state } = countedStore();
    store.getState().watch()();
    await time.pass(5000);
    store.getState().onConnected(0);
    await time.pass(5000);
    expect(state.loads).toBe(1);
  });
});
