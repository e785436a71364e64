import type { LiveStatus, TraceSummary } from "@obspan/collector-core/api-schema";
import { describe, expect, it, test } from "vitest";
import { CollectorError } from "../../../src/renderer/api/collector-api.js";
import { createTracesStore } from "../../../src/renderer/store/traces-store.js";
import { rowKeyOf, traceKeyOf } from "../../../src/renderer/store/trace-key.js";
import { isFirstRun, isMultiTenant } from "../../../src/renderer/store/traces-state.js";
import { facets, fakeApi, fakeTime, summary } from "../fake-api.js";

async function start(stored: TraceSummary[] = []) {
  const time = fakeTime();
  const fake = fakeApi(stored);
  const store = createTracesStore({ api: fake.api, ...time });
  await store.getState().load();
  await time.pass(0);
  return {
    ...fake,
    ...time,
    store,
    stored,
    state: store.getState,
    ids: () => store.getState().rows.map(({ trace_id }) => trace_id),
    waiting: () => store.getState().arrivals.map(({ trace_id }) => trace_id),
    /** A trace arrives in the collector and in the live feed. */
    arrive(id: string, fields: Partial<TraceSummary> = {}) {
      const row = summary(id, fields);
      stored.unshift(row);
      store.getState().onLive({ type: "trace", data: row });
    },
    change: (id: string, fields: Partial<TraceSummary>) =>
      store.getState().onLive({ type: "trace", data: summary(id, fields) }),
    reset: () => store.getState().onLive({ type: "reset", data: { reason: "burst" } }),
  };
}

const many = (count: number): TraceSummary[] =>
  Array.from({ length: count }, (_, index) => summary(`old-${index}`));

describe("arrivals", () => {
  it("appear at the top, newest first", async () => {
    const { arrive, pass, ids } = await start([summary("a")]);
    arrive("b");
    arrive("c");
    await pass(200);
    expect(ids()).toEqual(["c", "b", "a"]);
  });

  it("change the rows at most five times a second", async () => {
    const { arrive, pass, store } = await start();
    let changes = 0;
    let { rows } = store.getState();
    store.subscribe((state) => {
      if (state.rows !== rows) changes++;
      ({ rows } = state);
    });
    for (let at = 0; at < 100; at++) {
      arrive(`t${at}`);
      await pass(10);
    }
    expect(changes).toBeLessThanOrEqual(5);
    expect(rows.length).toBeGreaterThan(75);
  });

  it("wait while the user has scrolled down, and appear back at the top", async () => {
    const { arrive, pass, ids, waiting, state } = await start([summary("a")]);
    state().setFollowing(false);
    arrive("b");
    await pass(200);
    expect(ids()).toEqual(["a"]);
    expect(waiting()).toEqual(["b"]);
    state().setFollowing(true);
    expect(ids()).toEqual(["b", "a"]);
    expect(waiting()).toEqual([]);
  });

  it("do not move rows under the pointer", async () => {
    const { arrive, pass, ids, state } = await start([summary("a")]);
    state().keepRowsStill();
    arrive("b");
    await pass(200);
    expect(ids()).toEqual(["a"]);
    await pass(800);
    expect(ids()).toEqual(["b", "a"]);
  });

  it("during the first request are not lost", async () => {
    const { state, change, pass, ids } = await start([summary("a")]);
    const loading = state().load();
    change("b", {});
    await loading;
    await pass(200);
    expect(ids()).toEqual(["b", "a"]);
  });
});

describe("the order by start", () => {
  const at = (minute: number) => ({ start_time: `2026-11-21T10:${String(minute).padStart(2, "0")}:00Z` });

  it("places arrivals by their start", async () => {
    const { arrive, pass, ids, asked } = await start([summary("b", at(30)), summary("a", at(10))]);
    arrive("late", at(20));
    arrive("new", at(40));
    await pass(200);
    expect(ids()).toEqual(["new", "b", "late", "a"]);
    expect(asked[0]).toMatchObject({ order: "start" });
  });

  it("moves a row whose start moves", async () => {
    const { change, pass, ids } = await start([summary("b", at(30)), summary("a", at(20))]);
    change("b", at(10));
    await pass(200);
    expect(ids()).toEqual(["a", "b"]);
  });

  it("keeps rows in place while the user has scrolled down, also between them", async () => {
    const { arrive, change, reset, pass, ids, waiting, state, stored } = await start([
      summary("b", at(30)),
      summary("a", at(10)),
    ]);
    state().setFollowing(false);
    arrive("late", at(20));
    change("b", at(5));
    await pass(200);
    expect(ids()).toEqual(["b", "a"]);
    expect(waiting()).toEqual(["late"]);
    stored.splice(0, stored.length, summary("later", at(25)), summary("late", at(20)), summary("a", at(10)));
    stored.push(summary("b", at(5)));
    reset();
    await pass(1000);
    expect(waiting()).toEqual(["later", "late"]);
    state().setFollowing(true);
    expect(ids()).toEqual(["later", "late", "a", "b"]);
  });
});

describe("an order other than that of starts", () => {
  const ranked = async () => {
    const started = await start([summary("slow", { duration_ms: 900 }), summary("quick")]);
    started.state().setFilters({}, "slowest");
    await started.pass(0);
    return started;
  };

  it("asks the collector for it, page by page", async () => {
    const { state, asked, pass, stored } = await ranked();
    stored.push(...many(300));
    state().setFilters({ env: "staging" }, "slowest");
    await pass(0);
    await state().loadMore();
    expect(asked.slice(-2)).toMatchObject([
      { env: "staging", order: "slowest" },
      { env: "staging", order: "slowest", cursor: "old-197" },
    ]);
  });

  it("lets the collector place an arrival", async () => {
    const { arrive, pass, ids, waiting, stored } = await ranked();
    arrive("new", { duration_ms: 500 });
    stored.splice(0, stored.length, summary("slow"), summary("new"), summary("quick"));
    await pass(2000);
    expect(ids()).toEqual(["slow", "new", "quick"]);
    expect(waiting()).toEqual([]);
  });

  it("keeps rows in place while the user has scrolled down, and catches up at the top", async () => {
    const { arrive, pass, ids, state, stored } = await ranked();
    state().setFollowing(false);
    arrive("slowest", { duration_ms: 5000 });
    await pass(3000);
    expect(ids()).toEqual(["slow", "quick"]);
    expect(stored).toHaveLength(3);
    state().setFollowing(true);
    await pass(2000);
    expect(ids()).toEqual(["slowest", "slow", "quick"]);
  });
});

describe("changes", () => {
  it("replace their row", async () => {
    const { change, pass, state } = await start([summary("a"), summary("b")]);
    change("b", { span_count: 7 });
    await pass(200);
    expect(state().rows.map(({ span_count }) => span_count)).toEqual([1, 7]);
  });

  it("remove a row that no longer matches", async () => {
    const { state, change, pass, ids } = await start([summary("a", { status: "RUNNING" })]);
    state().setFilters({ status: "RUNNING" }, "start");
    await pass(0);
    change("a", { status: "OK" });
    await pass(200);
    expect(ids()).toEqual([]);
  });

  it("of a trace that may be further down cause a request instead of a new row", async () => {
    const { change, pass, ids, asked } = await start(many(300));
    const before = asked.length;
    change("old-250", { start_time: "2026-11-21T09:00:00Z" });
    await pass(1500);
    expect(asked).toHaveLength(before + 1);
    expect(ids()).toHaveLength(200);
    expect(ids()).not.toContain("old-250");
  });

  it("of a trace whose agent is not in its summary cause a request", async () => {
    const { state, stored, change, pass, asked } = await start([]);
    state().setFilters({ agent: "sub-agent" }, "start");
    await pass(0);
    const before = asked.length;
    stored.unshift(summary("b"));
    change("b", { agent: "main-agent" });
    await pass(1500);
    expect(asked).toHaveLength(before + 1);
    expect(state().rows).toHaveLength(1);
  });
});

describe("pause", () => {
  it("keeps the rows, and counts arrivals", async () => {
    const { state, arrive, change, pass, ids, waiting } = await start([summary("a")]);
    state().setPaused(true);
    const { rows } = state();
    arrive("b");
    change("a", { span_count: 9 });
    await pass(1000);
    expect(state().rows).toBe(rows);
    expect(waiting()).toEqual(["b"]);
    state().setPaused(false);
    expect(ids()).toEqual(["b", "a"]);
    expect(state().rows[1]?.span_count).toBe(9);
  });

  it("fetches afterwards what it could not follow", async () => {
    const { state, stored, reset, pass, ids, asked } = await start([summary("a")]);
    state().setPaused(true);
    const before = asked.length;
    stored.unshift(summary("b"));
    reset();
    await pass(3000);
    expect(asked).toHaveLength(before);
    state().setPaused(false);
    await pass(0);
    expect(ids()).toEqual(["b", "a"]);
  });
});

describe("a reset", () => {
  it("is followed at most once a second", async () => {
    const { reset, pass, asked } = await start([summary("a")]);
    const before = asked.length;
    for (let at = 0; at < 20; at++) {
      reset();
      await pass(100);
    }
    expect(asked.length - before).toBeGreaterThanOrEqual(2);
    expect(asked.length - before).toBeLessThanOrEqual(3);
  });

  it("keeps the rows after scrolling, and lets arrivals wait", async () => {
    const { state, stored, reset, pass, ids, waiting } = await start(many(300));
    await state().loadMore();
    state().setFollowing(false);
    stored.unshift(summary("b"));
    const before = ids();
    reset();
    await pass(1000);
    expect(ids()).toEqual(before);
    expect(waiting()).toEqual(["b"]);
  });

  it("removes traces that are gone", async () => {
    const { state, stored, reset, pass, ids } = await start(many(3));
    state().setFollowing(false);
    stored.splice(1, 1);
    reset();
    await pass(1000);
    expect(ids()).toEqual(["old-0", "old-2"]);
  });

  it("that leaves a gap reports it, and shows the newest traces on request", async () => {
    const { state, stored, reset, pass, ids } = await start([summary("a")]);
    state().setFollowing(false);
    stored.unshift(...Array.from({ length: 500 }, (_, index) => summary(`new-${index}`)));
    reset();
    await pass(1000);
    expect(state().hasGap).toBe(true);
    expect(ids()).toEqual(["a"]);
    state().setFollowing(true);
    await pass(1000);
    expect(ids()[0]).toBe("new-0");
    expect(ids()).toHaveLength(200);
    expect(state().hasGap).toBe(false);
  });
});

describe("pages", () => {
  it("follow each other by cursor without duplicates", async () => {
    const { state, arrive, pass, ids } = await start(many(450));
    arrive("b");
    await pass(200);
    await state().loadMore();
    await state().loadMore();
    expect(ids()).toHaveLength(451);
    expect(new Set(ids()).size).toBe(451);
    expect(state().nextCursor).toBeNull();
  });

  it("restart with other filters", async () => {
    const { state, pass, asked } = await start(many(450));
    await state().loadMore();
    state().setSelected(new Set(["old-1"]));
    state().setFilters({ env: "staging" }, "start");
    expect(state().selected.size).toBe(0);
    await pass(0);
    expect(asked.at(-1)).toEqual({ env: "staging", order: "start", limit: 200 });
    expect(state().rows).toHaveLength(200);
  });

  it("do not restart with the same filters", async () => {
    const { state, pass, asked } = await start([summary("a")]);
    const before = asked.length;
    state().setFilters({}, "start");
    await pass(0);
    expect(asked).toHaveLength(before);
  });
});

describe("the collector's own evictions", () => {
  const status = (traces: number) =>
    ({
      type: "status",
      data: { store: { traces, spans: 0, bytes: 0, max_traces: 3 } } as LiveStatus,
    }) as const;

  it("remove their rows, once a second status confirms it", async () => {
    const { state, ids, stored, pass } = await start(many(3));
    state().onLive(status(3));
    // The trace that arrived first, not the one that started first.
    stored.splice(1, 1);
    state().onLive(status(2));
    await pass(1000);
    expect(ids()).toHaveLength(3);
    state().onLive(status(2));
    await pass(1000);
    expect(ids()).toEqual(["old-0", "old-2"]);
  });

  it("remove their rows of a long list when the user is back at its top", async () => {
    const { state, ids, stored, pass } = await start(many(450));
    state().setFollowing(false);
    await state().loadMore();
    await state().loadMore();
    stored.splice(100, 1);
    state().onLive(status(449));
    state().onLive(status(449));
    await pass(1000);
    state().setFollowing(true);
    await pass(1000);
    expect(ids()).not.toContain("old-100");
  });
});

describe("contract 3: two tenants' equal ids are two rows", () => {
  const acme = (fields: Partial<TraceSummary> = {}) => summary("a", { tenant: "acme", ...fields });
  const globex = (fields: Partial<TraceSummary> = {}) => summary("a", { tenant: "globex", ...fields });
  const tenants = (rows: readonly TraceSummary[]) => rows.map(({ tenant }) => tenant);

  it("which change and arrive separately", async () => {
    const { state, pass } = await start([acme()]);
    state().onLive({ type: "trace", data: globex() });
    state().onLive({ type: "trace", data: acme({ span_count: 7 }) });
    await pass(200);
    expect(tenants(state().rows)).toEqual(["globex", "acme"]);
    expect(state().rows.map(({ span_count }) => span_count)).toEqual([1, 7]);
  });

  it("which stay two after a refresh", async () => {
    const { state, stored, reset, pass } = await start([acme()]);
    state().setFollowing(false);
    stored.unshift(globex());
    reset();
    await pass(1000);
    expect(tenants(state().rows)).toEqual(["acme"]);
    expect(tenants(state().arrivals)).toEqual(["globex"]);
  });

  it("of which a filter selects one without a request", async () => {
    const { state, pass, asked } = await start([]);
    state().setFilters({ tenant: "acme" }, "start");
    await pass(0);
    const before = asked.length;
    state().onLive({ type: "trace", data: globex() });
    state().onLive({ type: "trace", data: acme() });
    await pass(1500);
    expect(tenants(state().rows)).toEqual(["acme"]);
    expect(asked).toHaveLength(before);
  });

  it("of which one is deleted", async () => {
    const { state, stored } = await start([globex(), acme()]);
    state().setSelected(new Set([rowKeyOf(acme())]));
    await state().deleteSelected();
    expect(tenants(state().rows)).toEqual(["globex"]);
    expect(tenants(stored)).toEqual(["globex"]);
  });

  it("and the list shows tenants only if there is one", async () => {
    expect(isMultiTenant((await start([summary("a")])).state())).toBe(false);
    expect(isMultiTenant((await start([acme()])).state())).toBe(true);
  });
});

test("a row key round-trips to its trace for any id", () => {
  for (const tenant of ["", "acme", "ünïcode corp"]) {
    for (const trace_id of ["t1", "a\nb", "\n", "acme\nt1"]) {
      expect(traceKeyOf(rowKeyOf({ tenant, trace_id }))).toEqual({ tenant, traceId: trace_id });
    }
  }
});

describe("deleting", () => {
  it("removes the rows, and keeps those that could not be deleted selected", async () => {
    const { state, ids, refused } = await start(many(3));
    refused.set("old-0", new CollectorError("unreachable", "The collector does not answer."));
    refused.set("old-1", new CollectorError("trace_not_found", "Gone."));
    state().setSelected(new Set(["old-0", "old-1", "old-2"]));
    await state().deleteSelected();
    expect(ids()).toEqual(["old-0"]);
    expect([...state().selected]).toEqual(["old-0"]);
    expect(state().deletion.failure).toBe("1 trace was not deleted: The collector does not answer.");
  });
});

describe("facets", () => {
  it("come from the collector, for the filters without the facet's own", async () => {
    const { state, counted, pass } = await start([summary("a")]);
    state().setFilters({ service: "shop", env: "production" }, "start");
    await pass(0);
    expect(counted.at(-1)).toEqual({ service: "shop", env: "production" });
    await state().loadChoices("service");
    expect(counted.at(-1)).toEqual({ env: "production" });
    expect(state().choices.service).toEqual({
      values: [{ value: "shop", count: 1 }],
      total: 1204,
      contains: "",
    });
    await state().loadChoices("service", "sh");
    expect(counted.at(-1)).toEqual({ env: "production", contains: "sh" });
    expect(state().choices.service?.contains).toBe("sh");
  });

  it("shows the values of the last text that was typed, whichever answer comes last", async () => {
    const { api } = fakeApi([]);
    const answers: (() => void)[] = [];
    const getFacets = async ({ contains = "" }: { contains?: string }) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return facets({ agent: [{ value: contains, count: 1 }] });
    };
    const store = createTracesStore({ api: { ...api, getFacets }, ...fakeTime() });
    const loading = ["a", "ab"].map((text) => store.getState().loadChoices("agent", text));
    for (const answer of answers.toReversed()) answer();
    await Promise.all(loading);
    expect(store.getState().choices.agent?.values).toEqual([{ value: "ab", count: 1 }]);
  });

  it("are refreshed while traces arrive, at most once a second", async () => {
    const { arrive, pass, counted } = await start([summary("a")]);
    const before = counted.length;
    for (let at = 0; at < 20; at++) {
      arrive(`t${at}`);
      await pass(100);
    }
    expect(counted.length - before).toBeGreaterThanOrEqual(2);
    expect(counted.length - before).toBeLessThanOrEqual(3);
  });
});

describe("the first run", () => {
  it("is an empty store without filters", async () => {
    const { state, pass, arrive } = await start([]);
    expect(isFirstRun(state())).toBe(true);
    arrive("a");
    await pass(200);
    expect(isFirstRun(state())).toBe(false);
  });

  it("sends an example trace", async () => {
    const lines: Blob[] = [];
    const { api } = fakeApi([]);
    const importTraces = (line: Blob) => {
      lines.push(line);
      return Promise.resolve({} as never);
    };
    const store = createTracesStore({ api: { ...api, importTraces }, ...fakeTime() });
    await store.getState().sendTestTrace();
    const { resourceSpans } = JSON.parse((await lines[0]?.text()) ?? "{}") as {
      resourceSpans: {
        scopeSpans: { spans: { traceId: string; spanId: string; parentSpanId?: string }[] }[];
      }[];
    };
    const spans = resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    expect(spans.length).toBeGreaterThanOrEqual(6);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1);
  });

  it("is not assumed while the collector is away", async () => {
    const time = fakeTime();
    const { api } = fakeApi([]);
    const gone = new CollectorError("unreachable", "The collector does not answer.");
    const store = createTracesStore({ api: { ...api, listTraces: () => Promise.reject(gone) }, ...time });
    await store.getState().load();
    expect(store.getState().phase).toBe("error");
    expect(isFirstRun(store.getState())).toBe(false);
  });
});
