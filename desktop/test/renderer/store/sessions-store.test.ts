import type { SessionSummary, TraceSummary } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { CollectorError, type TraceFilters } from "../../../src/renderer/api/collector-api.js";
import { createSessionsStore } from "../../../src/renderer/store/sessions-store.js";
import { facets, fakeTime, summary } from "../fake-api.js";
import { session } from "../session-summary.js";

/** A store with a collector that has these sessions, and pages of a hundred. */
function storeOf(stored: SessionSummary[]) {
  const time = fakeTime();
  const state = { stored, requests: 0, paused: false, counted: [] as TraceFilters[], refused: "" };
  const deleted: string[] = [];
  const store = createSessionsStore({
    api: {
      listSessions: async ({ limit = 20, cursor }) => {
        state.requests++;
        const from = cursor === undefined ? 0 : Number(cursor);
        const sessions = state.stored.slice(from, from + limit);
        return { sessions, next_cursor: from + limit < state.stored.length ? String(from + limit) : null };
      },
      // Each session has two turns, on two pages.
      getSession: async ({ sessionId, tenant = "" }, { cursor }) => {
        const stored = state.stored.find(({ session_id: id }) => id === sessionId);
        if (stored === undefined) throw new CollectorError("session_not_found", "It is gone.");
        const traces = [summary(`${sessionId}${cursor ?? "1"}`, { tenant })];
        return { session: stored, traces, next_cursor: cursor === undefined ? "2" : null };
      },
      getFacets: async (filters) => {
        state.counted.push(filters);
        return facets({ total: 61 });
      },
      deleteTrace: async ({ traceId, tenant }) => {
        if (traceId === state.refused) throw new Error("The disk is full.");
        deleted.push(`${tenant}/${traceId}`);
      },
    },
    isPaused: () => state.paused,
    schedule: time.schedule,
    now: time.now,
  });
  const ids = (): string[] => store.getState().rows.map(({ session_id: id }) => id);
  const onTrace = (fields: Partial<TraceSummary>): void =>
    store.getState().onLive({ type: "trace", data: summary("t", fields) });
  return { store, state, deleted, time, ids, onTrace };
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

  it("ui sessions: counts the traces that match and have no session, at most every 10 seconds", async () => {
    const { store, state, time, onTrace } = storeOf([session("a")]);
    store.getState().watch();
    store.getState().setFilters({ service: "shop", query: "turns:>2 late" }, "newest");
    await time.pass(5000);
    expect(state.counted.at(-1)).toEqual({ service: "shop", query: 'late session:""' });
    expect(store.getState().traceCountWithout).toBe(61);
    const before = state.counted.length;
    // Sessions do not change it.
    onTrace({ session_id: "a" });
    await time.pass(30_000);
    expect(state.counted.length).toBe(before);
    for (let at = 0; at < 20; at++) {
      onTrace({ session_id: null });
      await time.pass(500);
    }
    await time.pass(10_000);
    expect(state.counted.length - before).toBeLessThanOrEqual(3);
    expect(state.counted.length - before).toBeGreaterThanOrEqual(1);
    store.getState().setFilters({ query: "session:a" }, "newest");
    await time.pass(5000);
    expect(store.getState().traceCountWithout).toBeUndefined();
  });

  it("deletes all traces of the selected sessions, and keeps those that could not be deleted", async () => {
    const { store, state, deleted, time, ids } = storeOf([
      session("a"),
      session("b", { tenant: "acme" }),
      session("c"),
    ]);
    await store.getState().load();
    store.getState().setSelected(new Set(["\na", "acme\nb", "\ngone"]));
    state.refused = "a2";
    await store.getState().deleteSelected();
    expect(deleted.toSorted()).toEqual(["/a1", "acme/b1", "acme/b2"]);
    expect([...store.getState().selected]).toEqual(["\na"]);
    expect(store.getState().deletion).toEqual({
      isRunning: false,
      failure: "1 trace was not deleted: The disk is full.",
    });
    await time.pass(1000);
    expect(ids()).toContain("c");
    store.getState().setFilters({ query: "late" }, "newest");
    expect(store.getState()).toMatchObject({ selected: new Set(), deletion: { failure: undefined } });
  });
});
