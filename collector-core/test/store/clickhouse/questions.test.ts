import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import type { TurnOrder } from "../../../src/api-schema/sessions.js";
import type { TraceFilter, TraceSummary } from "../../../src/api-schema/trace.js";
import type { SessionTraces, SpanPages, StoredTrace, TraceStore } from "../../../src/interfaces.js";
import { FEEDBACK_TYPE } from "../../../src/api-schema/evaluation-types.js";
import { GROUP_KEYS, GROUP_ORDERS } from "../../../src/api-schema/group-keys.js";
import { createMemoryTraceStore } from "../../../src/store/memory/memory-trace-store.js";
import { openDatabase } from "../../../src/store/clickhouse/database.js";
import { TraceMatching } from "../../../src/store/clickhouse/trace-matching.js";
import { TraceReader } from "../../../src/store/clickhouse/trace-reader.js";
import { aModelCall, anEvaluation, aSpan, FakeClock, pipelineSpans } from "../span-batches.js";
import { missingClickHouse, startClickHouse, type ClickHouseServer } from "./clickhouse-server.js";
import { openClickHouseStore, type ClickHouseStoreOptions } from "./clickhouse-store.js";

interface TraceExport {
  readonly summary: TraceSummary;
  readonly spans: readonly string[];
  readonly received: readonly string[];
}

async function exportOf({ summary, spans, received }: StoredTrace): Promise<TraceExport> {
  const textsOf = async (pages: SpanPages): Promise<string[]> => {
    const texts: string[] = [];
    for await (const page of pages) texts.push(...page.map(({ slice }) => slice.memory.bytes.toString()));
    return texts;
  };
  return { summary, spans: await textsOf(spans), received: await textsOf(received) };
}

/** What no other store has to do to answer a question. */
describe.skipIf(missingClickHouse() !== undefined)("questions to ClickHouse", () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.stop());

  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function open(options: Partial<ClickHouseStoreOptions> = {}) {
    const clock = options.clock ?? new FakeClock();
    const opened = await openClickHouseStore(server, {
      maxSpansPerTrace: 500,
      ttlSeconds: 0,
      ...options,
      clock,
    });
    closing.push(async () => await opened.close?.());
    const write = async (spans: Span | readonly Span[], receivedAtMs = clock.wallMs): Promise<void> => {
      await opened.store.append(pipelineSpans([spans].flat(), { receivedAtMs }));
      await opened.store.flush();
    };
    return { ...opened, clock, write };
  }

  async function idsOf(store: TraceStore, filter: TraceFilter): Promise<string[]> {
    const { traces } = await store.list({ ...filter, limit: 1000 });
    return traces.map((trace) => trace.trace_id);
  }

  it("leave out what has expired, before ClickHouse has removed it", async () => {
    const clock = new FakeClock();
    clock.wallMs = Date.now();
    const { store, write } = await open({ clock, ttlSeconds: 3600 });
    const inSession = { attributes: { session_id: "s", tier: "gold" } };
    await write(aModelCall({ trace_id: "a", ...inSession }));
    clock.advance(1_800_000);
    await write(aModelCall({ trace_id: "b", ...inSession }));
    clock.advance(1_800_000);
    expect(await store.facets({})).toMatchObject({ total: 1, service: [{ value: "shop", count: 1 }] });
    expect((await store.histogram({})).total).toBe(1);
    for (const by of ["session", "@tier"])
      expect((await store.groups({ by })).groups, by).toMatchObject([{ runs: 1 }]);
    expect(await idsOf(store, { query: "@tier:gold" })).toEqual(["b"]);
    expect((await store.sessions({})).sessions).toMatchObject([{ traces: 1, turns: [{ trace_id: "b" }] }]);
    clock.advance(1_800_000);
    expect(await store.facets({})).toMatchObject({ total: 0, service: [] });
    expect((await store.sessions({})).sessions).toEqual([]);
    expect(await store.session({ tenant: "", sessionId: "s" }, {})).toBeUndefined();
    expect(await store.tenantsOfSession("s")).toEqual([]);
  });

  it("do not find a span that was replaced on a later day by what it had before", async () => {
    const { store, write } = await open();
    const midnight = Date.UTC(2026, 0, 2);
    const span = (text: string, status: string): Span =>
      aSpan({ span_id: "a", status, attributes: { prompt_text: text, tier: text } });
    await write(span("before", "RUNNING"), midnight - 1);
    await write(span("after", "OK"), midnight + 1);
    for (const filter of [
      { q: "before" },
      { query: "before" },
      { query: "@tier:before" },
      { query: "-after" },
    ])
      expect(await idsOf(store, filter), JSON.stringify(filter)).toEqual([]);
    for (const filter of [{ q: "after" }, { query: "@tier:after" }, { query: "-before -@tier:before" }])
      expect(await idsOf(store, filter), JSON.stringify(filter)).toEqual(["trace"]);
    expect((await store.groups({ by: "@tier" })).groups).toMatchObject([{ value: "after", runs: 1 }]);
    expect(await store.facets({})).toMatchObject({ total: 1, status: [{ value: "OK", count: 1 }] });
  });

  it("compare every text as it is written", async () => {
    const { store, write } = await open();
    const texts = [
      "100%",
      "a_b",
      "c:\\dir\\",
      "it's",
      "{p0:String}",
      '"quoted"',
      "tab\there",
      "nul\0nul",
      "🎉",
    ];
    await write(
      texts.map((text, index) =>
        aSpan({
          trace_id: `t${index}`,
          name: text,
          attributes: { agent: text, prompt_text: text, own: text },
        }),
      ),
    );
    for (const [index, text] of texts.entries()) {
      const quoted = `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
      const filters: readonly TraceFilter[] = [
        ...[{ q: text }, { agent: text }, { root_name: text }, { query: `agent:${quoted}` }],
        ...[{ query: quoted }, { query: `@own:${quoted}` }],
      ];
      for (const filter of filters)
        expect(await idsOf(store, filter), JSON.stringify(filter)).toEqual([`t${index}`]);
    }
    // Neither a wildcard, nor what lies between two texts of a span.
    for (const q of ["1_0%", "%", "axb", "\0nul\0", "dir\\\0"])
      expect(await idsOf(store, { q }), JSON.stringify(q)).toEqual(q === "%" ? ["t0"] : []);
  });

  it("read many traces together, as they read each alone", async () => {
    const { store, write, clock, database: name } = await open({ maxSpansPerTrace: 5 });
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const spansOf = (trace_id: string, count: number, text = ""): Span[] =>
      Array.from({ length: count }, (_, index) =>
        aSpan({ trace_id, span_id: `s${index}`, attributes: { prompt_text: text } }),
      );
    // One has more spans than are shown, one more bytes than are read together.
    await write(ids.flatMap((id, index) => spansOf(id, index === 7 ? 9 : 2)));
    await write(spansOf("large", 5, "x".repeat(600_000)));
    await write([anEvaluation("tone", 1, { trace_id: "scored" })]);
    const database = openDatabase({ url: server.url, user: "default", password: "", database: name });
    onTestFinished(() => database.close());
    let asked = 0;
    let held = 0;
    let most = 0;
    const reader = new TraceReader({
      ...{ clock, ttlSeconds: 0, maxSpansPerTrace: 5 },
      database: { ...database, rows: (...given) => (asked++, database.rows(...given)) },
      pagesInUse: {
        take: (bytes) => (most = Math.max(most, (held += bytes))),
        release: (bytes) => (held -= bytes),
      },
    });
    const all = [...ids, "gone", "large", "scored"];
    const read: TraceExport[] = [];
    const keys = all.map((traceId) => ({ tenant: "", traceId }));
    for await (const trace of reader.getEach(keys, undefined)) read.push(await exportOf(trace));
    expect(asked).toBeLessThan(30);
    expect(held).toBe(0);
    expect(most).toBeLessThan(2 ** 22);
    const alone: TraceExport[] = [];
    for (const key of keys) {
      const trace = await store.get(key);
      if (trace !== undefined) alone.push(await exportOf(trace));
    }
    expect(read).toEqual(alone);
    expect(read).toHaveLength(22);
    expect(read[7]?.received).toHaveLength(5);
  });

  it("read the spans of hundreds of traces, more than one parameter can name", async () => {
    const { store, write } = await open();
    const ids = Array.from({ length: 300 }, (_, trace) => trace.toString(16).padStart(32, "0"));
    await write(
      ids.flatMap((trace_id) =>
        Array.from({ length: 10 }, (_, span) =>
          aSpan({ trace_id, span_id: `${trace_id.slice(0, 14)}0${span}` }),
        ),
      ),
    );
    const read: number[] = [];
    for await (const trace of store.getEach?.(ids.map((traceId) => ({ tenant: "", traceId }))) ?? [])
      read.push((await exportOf(trace)).received.length);
    expect(read).toEqual(ids.map(() => 10));
  });

  it("are answered from tables of an earlier version, with what it had written", async () => {
    const { store, write, clock, database: name } = await open();
    const inSession = { attributes: { session_id: "s", agent: "planner", prompt_text: "Hello?" } };
    await write(aModelCall({ trace_id: "a", status: "ERROR", ...inSession }));
    const key = { tenant: "", sessionId: "s" };
    const before = await store.session(key, {});
    expect(before?.session).toMatchObject({ errors: 1, agents: ["planner"], first_input_preview: "Hello?" });
    const database = openDatabase({ url: server.url, user: "default", password: "", database: name });
    onTestFinished(() => database.close());
    for (const column of ["first_agent", "listed_models", "error_count", "has_input"])
      await database.run(`ALTER TABLE traces DROP COLUMN ${column}`);
    await database.run("TRUNCATE TABLE migrations");
    await database.run("INSERT INTO migrations VALUES (1, 0)");
    const later = await open({ database: name, clock });
    expect(await later.store.session(key, {})).toEqual(before);
  });

  it("contract 9: count groups and add up sessions as a store in memory does", async () => {
    const { store, clock, write } = await open();
    const memory = createMemoryTraceStore({
      ...{ maxTraces: 1000, maxSpansPerTrace: 500, ttlSeconds: 0, maxBytes: 2 ** 26, clock },
      evictedInUse: { take: () => undefined, release: () => undefined },
    });
    const one = <T>(index: number, ...values: readonly T[]): T => values[index % values.length] as T;
    const spans = Array.from({ length: 90 }, (_, n) => [
      aModelCall({
        trace_id: `t${n}`,
        name: one(n, "run", "answer", "plan"),
        status: one(n, "OK", "ERROR", "OK", "OK"),
        // Some start at once.
        start_time: new Date(Date.UTC(2026, 0, 1, 0, (n * 7) % 20)).toISOString(),
        duration_ms: ((n * 37) % 100) + 0.125,
        attributes: {
          agent: one(n, "writer", "", "planner", "Übersetzer", "\u{1f680}"),
          session_id: one(n, "", "a", "b"),
          // Their sums are exact in any order.
          ...{ tokens_input: n, tokens_output: n % 7, cost_usd: (n % 5) / 4 },
          ...(n % 3 === 0 && { ttft_ms: n / 8 }),
          ...(n % 2 === 0 && { model: `model ${n % 23}`, prompt_text: `question ${n}` }),
        },
      }),
      ...(n % 4 === 0
        ? [aSpan({ trace_id: `t${n}`, span_type: "tool", attributes: { tool_name: one(n, "x", "y") } })]
        : []),
      ...Array.from({ length: n % 30 }, (__, type) =>
        anEvaluation(`type ${(type * 7 + n) % 40}`, type / 16, { trace_id: `t${n}` }),
      ),
      ...(n % 6 === 0 ? [anEvaluation(FEEDBACK_TYPE, one(n, 1, 0), { trace_id: `t${n}` })] : []),
    ]).flat();
    // Each trace has a time of its own, which orders the types of scores.
    for (const [index, span] of spans.entries()) {
      const given = pipelineSpans([span], { receivedAtMs: clock.wallMs + index });
      await memory.append(given);
      await store.append(given);
    }
    await write([]);
    const asked = [
      ...GROUP_KEYS.map((by, index) => ({ by, order: one(index, ...GROUP_ORDERS) })),
      ...GROUP_ORDERS.map((order) => ({ by: "agent", order })),
      { by: "agent", query: "-status:ERROR" },
      { by: "name", order: "cost", query: "nothing" },
    ] as const;
    for (const query of asked)
      expect(await store.groups(query), JSON.stringify(query)).toEqual(await memory.groups(query));
    for (const order of ["newest", "slowest", "costliest"] as const)
      expect((await store.sessions({ order })).sessions, order).toEqual(
        (await memory.sessions({ order })).sessions,
      );
    const pagesOf = async (from: TraceStore, order: TurnOrder) => {
      const pages: Omit<SessionTraces, "nextCursor">[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await from.session(
          { tenant: "", sessionId: "a" },
          { limit: 9, order, ...(cursor !== undefined && { cursor }) },
        );
        const { nextCursor, ...shown } = page as SessionTraces;
        pages.push(shown);
        cursor = nextCursor;
      }
      return pages;
    };
    for (const order of ["oldest", "newest"] as const)
      expect(await pagesOf(store, order), order).toEqual(await pagesOf(memory, order));
  });

  it("refuse an attribute that more traces have than ClickHouse can be asked for", async () => {
    const { write, clock, database: name } = await open();
    const tiers = ["gold", "gold", "silver"];
    await write(
      tiers.map((tier, index) => aSpan({ trace_id: `t${index}`, span_type: tier, attributes: { tier } })),
    );
    const database = openDatabase({ url: server.url, user: "default", password: "", database: name });
    onTestFinished(() => database.close());
    const matching = new TraceMatching({ database, clock, ttlSeconds: 0, maxFound: 2 });
    for (const query of ["@tier:*", "-@tier:*"])
      await expect(matching.conditionOf({ query }), query).rejects.toMatchObject({
        code: "invalid_query",
        message: expect.stringContaining("more than 2 traces have such an attribute") as string,
      });
    // Only traces that meet the other conditions are read.
    for (const query of ["@tier:gold", "@tier:* type:gold", "-@tier:* -type:silver"])
      await expect(matching.conditionOf({ query }), query).resolves.toHaveProperty("sql");
  });
});
