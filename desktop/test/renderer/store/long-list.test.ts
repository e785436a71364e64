import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { CollectorError } from "../../../src/renderer/api/collector-api.js";
import { createTracesStore } from "../../../src/renderer/store/traces-store.js";
import { fakeApi, fakeTime, summary } from "../fake-api.js";

const TRACES = 20_000;
const START_MS = Date.parse("2026-11-21T10:00:00Z");
/** Rows in memory, with the pages around the user's position. */
const MOST_ROWS = 12_200;

/** A trace a minute, newest first. */
function manyTraces(count = TRACES): TraceSummary[] {
  return Array.from({ length: count }, (_, index) =>
    summary(`t${count - index}`, { start_time: new Date(START_MS - index * 60_000).toISOString() }),
  );
}

async function start(stored: TraceSummary[]) {
  const time = fakeTime();
  const fake = fakeApi(stored);
  const store = createTracesStore({ api: fake.api, ...time });
  await store.getState().load();
  await time.pass(0);
  let mostRows = 0;
  store.subscribe(({ rows }) => (mostRows = Math.max(mostRows, rows.length)));
  const state = store.getState;
  return {
    ...fake,
    ...time,
    store,
    state,
    mostRows: () => mostRows,
    ids: () => state().rows.map(({ trace_id }) => trace_id),
    async scrollToEnd() {
      state().setFollowing(false);
      while (state().nextCursor !== null) await state().loadMore();
    },
    /** As the table does while the user scrolls up. */
    async scrollUp() {
      while (state().above > 0) await state().loadReleased(state().above - 1);
    },
    arrive(id: string, startMs = START_MS + 60_000) {
      const row = summary(id, { start_time: new Date(startMs).toISOString() });
      stored.unshift(row);
      store.getState().onLive({ type: "trace", data: row });
    },
  };
}

describe("a list longer than memory", () => {
  it("reaches the oldest trace with a bounded number of rows", async () => {
    const { scrollToEnd, ids, state, mostRows } = await start(manyTraces());
    await scrollToEnd();
    expect(ids().at(-1)).toBe("t1");
    expect(state().above + state().rows.length).toBe(TRACES);
    expect(mostRows()).toBeLessThanOrEqual(MOST_ROWS);
  });

  it("fetches the newer rows again, each once and in order, and lets go of older ones", async () => {
    const stored = manyTraces();
    const { scrollToEnd, scrollUp, ids, state, mostRows } = await start(stored);
    await scrollToEnd();
    await scrollUp();
    expect(state().above).toBe(0);
    expect(mostRows()).toBeLessThanOrEqual(MOST_ROWS);
    expect(ids()).toEqual(stored.slice(0, ids().length).map(({ trace_id }) => trace_id));
    await scrollToEnd();
    const { above, rows } = state();
    expect(ids()).toEqual(stored.slice(above).map(({ trace_id }) => trace_id));
    expect(above + rows.length).toBe(TRACES);
  });

  it("jumps to rows that were let go, and goes on from there", async () => {
    const stored = manyTraces();
    const { scrollToEnd, ids, state } = await start(stored);
    await scrollToEnd();
    await state().loadReleased(5000);
    const { above } = state();
    expect(above).toBeLessThanOrEqual(5000);
    expect(above + ids().length).toBeGreaterThan(5000);
    await state().loadMore();
    expect(ids()).toEqual(stored.slice(above, above + ids().length).map(({ trace_id }) => trace_id));
  });

  it("keeps the filters and the order", async () => {
    const { state, pass, asked, scrollToEnd, scrollUp } = await start(manyTraces());
    state().setFilters({ env: "production" }, "slowest");
    await pass(0);
    await scrollToEnd();
    await scrollUp();
    for (const query of asked.slice(1)) expect(query).toMatchObject({ env: "production", order: "slowest" });
  });

  it("shows arrivals on request while the newest rows are let go", async () => {
    const { arrive, scrollToEnd, state, pass, ids } = await start(manyTraces());
    await scrollToEnd();
    const before = state().rows;
    arrive("new");
    await pass(1000);
    expect(state().rows).toBe(before);
    expect(state().arrivals.map(({ trace_id }) => trace_id)).toEqual(["new"]);
    state().setFollowing(true);
    await pass(0);
    expect(ids().slice(0, 2)).toEqual(["new", "t20000"]);
    expect(state()).toMatchObject({ above: 0, arrivals: [] });
  });

  it("does not take a change of a trace that was let go as an arrival", async () => {
    const { scrollToEnd, state, pass, store } = await start(manyTraces());
    await scrollToEnd();
    const data = summary("t19999", { start_time: new Date(START_MS - 60_000).toISOString(), span_count: 2 });
    store.getState().onLive({ type: "trace", data });
    await pass(1000);
    expect(state().arrivals).toEqual([]);
  });

  it("keeps its place when the connection is lost and comes back", async () => {
    const { scrollToEnd, state, pass, asked } = await start(manyTraces());
    await scrollToEnd();
    const { rows } = state();
    const before = asked.length;
    state().onConnected(0);
    await pass(3000);
    expect(state().rows).toBe(rows);
    expect(asked).toHaveLength(before);
  });

  it("begins with the newest rows if the collector does not know its cursors any more", async () => {
    const { scrollToEnd, state, pass, api, ids } = await start(manyTraces());
    await scrollToEnd();
    const { listTraces } = api;
    api.listTraces = (query) =>
      query.cursor === undefined
        ? listTraces(query)
        : Promise.reject(new CollectorError("invalid_query", "The cursor is from another store."));
    await state().loadReleased(5000);
    await pass(0);
    expect(ids()[0]).toBe("t20000");
    expect(state().above).toBe(0);
  });

  it("is trimmed at the top while traces arrive, and still reaches the oldest", async () => {
    const { arrive, state, pass, scrollToEnd, ids } = await start(manyTraces(300));
    for (let at = 0; at < 10_500; at++) arrive(`n${at}`, START_MS + at);
    await pass(3000);
    expect(state().rows.length).toBeLessThanOrEqual(10_000);
    await scrollToEnd();
    expect(state().above + ids().length).toBe(10_800);
    expect(ids().at(-1)).toBe("t1");
  });

  it("counts arrivals beyond memory as a gap, and fetches them", async () => {
    const { arrive, state, pass, ids } = await start(manyTraces(300));
    state().setFollowing(false);
    for (let at = 0; at < 10_500; at++) arrive(`n${at}`, START_MS + at);
    await pass(3000);
    expect(state().arrivals).toHaveLength(10_000);
    expect(state().hasGap).toBe(true);
    state().setFollowing(true);
    await pass(0);
    expect(ids()[0]).toBe("n10499");
    expect(ids()).toHaveLength(200);
  });
});

describe("after a restart of the collector", () => {
  it("rows stay while the file of the store is not counted yet", async () => {
    const stored = manyTraces(3);
    const { state, ids, pass } = await start(stored);
    const status = (disk: number | null) =>
      ({ type: "status", data: { store: { traces: 0, disk_bytes: disk } } }) as never;
    for (let at = 0; at < 3; at++) state().onLive(status(0));
    expect(ids()).toHaveLength(3);
    stored.splice(0);
    for (let at = 0; at < 3; at++) state().onLive(status(null));
    await pass(1000);
    expect(ids()).toHaveLength(0);
  });
});
