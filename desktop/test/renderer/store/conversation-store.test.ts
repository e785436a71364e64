import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { CollectorError } from "../../../src/renderer/api/collector-api.js";
import { createConversationStore } from "../../../src/renderer/store/conversation-store.js";
import { fakeTime, summary } from "../fake-api.js";
import { session } from "../session-summary.js";

const turnsOf = (count: number): TraceSummary[] =>
  Array.from({ length: count }, (_, index) => summary(`t${index}`, { session_id: "s" }));

/** A store with a collector that has a session of these turns, oldest first. */
function storeOf(turns: TraceSummary[]) {
  const time = fakeTime();
  const state = {
    turns,
    opened: [] as string[],
    searched: [] as (string | undefined)[],
    isBusy: false,
    underWay: 0,
    most: 0,
  };
  const store = createConversationStore({
    api: {
      getSession: async ({ sessionId, tenant }, { limit = 100, cursor }) => {
        if (tenant === undefined && sessionId === "shared")
          throw new CollectorError("ambiguous_session", "two tenants");
        if (state.isBusy) throw new CollectorError("overloaded", "busy");
        const end = cursor === undefined ? state.turns.length : Number(cursor);
        const from = Math.max(0, end - limit);
        return {
          session: session(sessionId, { tenant: tenant ?? "", traces: state.turns.length }),
          traces: state.turns.slice(from, end).toReversed(),
          next_cursor: from > 0 ? String(from) : null,
        };
      },
      getTrace: async ({ traceId }) => {
        state.opened.push(traceId);
        state.most = Math.max(state.most, ++state.underWay);
        await Promise.resolve();
        state.underWay--;
        if (traceId === "broken") throw new CollectorError("trace_not_found", "gone");
        return { trace: summary(traceId), spans: [] };
      },
      listTraces: async ({ session: id, tenant, q = "" }) => {
        state.searched.push(`${tenant}/${id}: ${q}`);
        if (q === "broken") throw new CollectorError("overloaded", "busy");
        const found = state.turns.filter(({ trace_id: traceId }) => traceId.endsWith(q));
        return { traces: found.toReversed(), next_cursor: null };
      },
      listSessions: async () => ({ sessions: [session("shared", { tenant: "acme" })], next_cursor: null }),
    },
    schedule: time.schedule,
    now: time.now,
  });
  const ids = (): string[] => store.getState().turns.map(({ trace_id: id }) => id);
  return { store, state, time, ids };
}

describe("an open session", () => {
  it("is read from its end, and backwards", async () => {
    const { store, ids } = storeOf(turnsOf(250));
    await store.getState().open({ sessionId: "s", tenant: "" });
    expect([ids()[0], ids().at(-1), ids().length]).toEqual(["t150", "t249", 100]);
    await store.getState().loadEarlier();
    await store.getState().loadEarlier();
    expect(ids()).toEqual(turnsOf(250).map(({ trace_id: id }) => id));
    expect(store.getState().earlierCursor).toBeNull();
  });

  it("keeps earlier turns when others follow, and unchanged turns as they are", async () => {
    const { store, state, time, ids } = storeOf(turnsOf(150));
    await store.getState().open({ sessionId: "s", tenant: "" });
    await store.getState().loadEarlier();
    const before = store.getState().turns;
    state.turns = [
      ...turnsOf(150).slice(0, 149),
      summary("t149", { session_id: "s", running: true }),
      summary("new"),
    ];
    store.getState().onLive({ type: "trace", data: summary("new", { session_id: "s" }) });
    await time.pass(5000);
    expect([ids().length, ids().at(-1)]).toEqual([151, "new"]);
    expect(store.getState().turns[60]).toBe(before[60]);
    expect(store.getState().turns[149]).not.toBe(before[149]);
  });

  it("ignores the traces of other sessions and of other tenants", async () => {
    const { store, state, time, ids } = storeOf(turnsOf(2));
    await store.getState().open({ sessionId: "s", tenant: "acme" });
    state.turns = turnsOf(3);
    store.getState().onLive({ type: "trace", data: summary("x", { session_id: "other", tenant: "acme" }) });
    store.getState().onLive({ type: "trace", data: summary("x", { session_id: "s", tenant: "globex" }) });
    await time.pass(5000);
    expect(ids()).toHaveLength(2);
  });

  it("fetches the spans of visible turns, few at a time, again after a change, and says what failed", async () => {
    const { store, state, time } = storeOf([...turnsOf(8), summary("broken", { session_id: "s" })]);
    await store.getState().open({ sessionId: "s", tenant: "" });
    store.getState().show(store.getState().turns.slice(4));
    await time.pass(100);
    expect(new Set(state.opened)).toEqual(new Set(["t4", "t5", "t6", "t7", "broken"]));
    expect(state.most).toBe(3);
    expect(store.getState().details["broken"]?.error?.code).toBe("trace_not_found");
    expect(store.getState().details["t4"]?.spans).toEqual([]);
    state.turns = state.turns.map((turn) => (turn.trace_id === "t4" ? { ...turn, span_count: 2 } : turn));
    await store.getState().refresh();
    await time.pass(100);
    expect(state.opened.slice(5)).toEqual(["t4"]);
  });

  it("opens the session that was active last if several tenants have one", async () => {
    const { store } = storeOf(turnsOf(1));
    await store.getState().open({ sessionId: "shared", tenant: undefined });
    expect(store.getState()).toMatchObject({ phase: "ready", tenant: "acme" });
  });

  it("names no traces of another session that is opened meanwhile, and fetches the turns before of that one", async () => {
    const { store, ids } = storeOf(turnsOf(250));
    await store.getState().open({ sessionId: "s", tenant: "" });
    const all = store.getState().allTraces();
    await Promise.all([
      expect(all).rejects.toThrow("Another session was opened."),
      store.getState().open({ sessionId: "other", tenant: "" }),
    ]);
    await store.getState().loadEarlier();
    expect([store.getState().sessionId, ids().length]).toEqual(["other", 200]);
  });

  it("names no part of its traces if the others cannot be fetched", async () => {
    const { store, state } = storeOf(turnsOf(250));
    await store.getState().open({ sessionId: "s", tenant: "" });
    state.isBusy = true;
    await expect(store.getState().allTraces()).rejects.toThrow("busy");
  });

  it("names all of its traces, and reaches one that was not fetched", async () => {
    const { store, ids } = storeOf(turnsOf(250));
    await store.getState().open({ sessionId: "s", tenant: "" });
    const reached = await store.getState().reach("t120");
    expect([reached?.trace_id, ids()[0]]).toEqual(["t120", "t50"]);
    const traces = await store.getState().allTraces();
    expect(traces).toEqual(turnsOf(250).map(({ trace_id: traceId }) => ({ traceId, tenant: "" })));
    expect(await store.getState().reach("gone")).toBeUndefined();
  });

  it("looks for a text in all turns, again after a change, and says if that failed", async () => {
    const { store, state, time } = storeOf(turnsOf(250));
    await store.getState().open({ sessionId: "s", tenant: "" });
    store.getState().setSearch("9");
    store.getState().setSearch("99 ");
    await time.pass(5000);
    expect(state.searched.at(-1)).toBe("/s: 99");
    expect(store.getState().search).toMatchObject({ found: ["t99", "t199"], hasMore: false });
    state.turns = [...state.turns, summary("t299", { session_id: "s" })];
    store.getState().onLive({ type: "trace", data: summary("t299", { session_id: "s" }) });
    await time.pass(5000);
    expect(store.getState().search.found).toEqual(["t99", "t199", "t299"]);
    store.getState().setSearch("broken");
    await time.pass(5000);
    expect(store.getState().search).toMatchObject({ found: [], error: { code: "overloaded" } });
    const asked = state.searched.length;
    store.getState().setSearch(" ");
    await time.pass(5000);
    expect([store.getState().search.found, state.searched.length]).toEqual([undefined, asked]);
  });
});
