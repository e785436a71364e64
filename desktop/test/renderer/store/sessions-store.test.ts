import type { SessionSummary, TraceSummary } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { createSessionsStore } from "../../../src/renderer/store/sessions-store.js";
import { fakeTime, summary } from "../fake-api.js";
import { session } from "../session-summary.js";

/** A store with a collector that has these sessions, and pages of a hundred. */
function storeOf(stored: SessionSummary[]) {
  const time = fakeTime();
  const state = { stored, requests: 0, paused: false };
  const store = createSessionsStore({
    api: {
      listSessions: async ({ limit = 20, cursor }) => {
        state.requests++;
        const from = cursor === undefined ? 0 : Number(cursor);
        const sessions = state.stored.slice(from, from + limit);
        return { sessions, next_cursor: from + limit < state.stored.length ? String(from + limit) : null };
      },
    },
    isPaused: () => state.paused,
    schedule: time.schedule,
    now: time.now,
  });
  const ids = (): string[] => store.getState().rows.map(({ session_id: id }) => id);
  const onTrace = (fields: Partial<TraceSummary>): void =>
    store.getState().onLive({ type: "trace", data: summary("t", fields) });
  return { store, state, time, ids, onTrace };
}

describe("the list of sessions", () => {
  it("follows the traces of sessions while it is visible, and no others", async () => {
    const { store, state, time, ids, onTrace } = storeOf([session("a")]);
    const leave = store.getState().watch();
    await time.pass(5000);
    expect([ids(), state.requests]).toEqual([["a"], 1]);
    onTrace({ session_id: null });
    await time.pass(5000);
    expect(state.requests).toBe(1);
    state.stored = [session("b"), session("a", { traces: 2 })];
    onTrace({ session_id: "b" });
    await time.pass(5000);
    expect(ids()).toEqual(["b", "a"]);
    leave();
    onTrace({ session_id: "b" });
    await time.pass(5000);
    expect(state.requests).toBe(2);
  });

  it("changes known rows in place while the reader is elsewhere, and lets new ones wait", async () => {
    const { store, state, time, ids, onTrace } = storeOf([session("a"), session("b")]);
    store.getState().watch();
    await time.pass(5000);
    store.getState().setFollowing(false);
    state.stored = [session("new"), session("b", { traces: 2 }), session("a")];
    onTrace({ session_id: "b" });
    await time.pass(5000);
    expect(ids()).toEqual(["a", "b"]);
    expect(store.getState()).toMatchObject({ arrivals: 1, rows: [{ traces: 1 }, { traces: 2 }] });
    store.getState().setFollowing(true);
    await time.pass(5000);
    expect([ids(), store.getState().arrivals]).toEqual([["new", "b", "a"], 0]);
  });

  it("stands still while paused", async () => {
    const { store, state, time, onTrace } = storeOf([session("a")]);
    store.getState().watch();
    await time.pass(5000);
    state.paused = true;
    onTrace({ session_id: "a" });
    await time.pass(5000);
    expect(state.requests).toBe(1);
  });

  it("keeps later pages when the first one changes", async () => {
    const many = Array.from({ length: 250 }, (_, index) => session(`s${index}`));
    const { store, state, time, ids, onTrace } = storeOf(many);
    store.getState().watch();
    await time.pass(5000);
    await store.getState().loadMore();
    await store.getState().loadMore();
    expect(ids()).toHaveLength(250);
    expect(store.getState().nextCursor).toBeNull();
    state.stored = [session("s240", { traces: 2 }), ...many.filter(({ session_id: id }) => id !== "s240")];
    onTrace({ session_id: "s240" });
    await time.pass(5000);
    expect(ids()[0]).toBe("s240");
    expect(new Set(ids()).size).toBe(ids().length);
  });
});
