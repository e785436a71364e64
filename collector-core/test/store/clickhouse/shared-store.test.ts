import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import type { AddSteps, ClosedStep, TraceStore, WrittenStep } from "../../../src/interfaces.js";
import { openDatabase, type Database } from "../../../src/store/clickhouse/database.js";
import { migrate } from "../../../src/store/clickhouse/migrations.js";
import { Arrivals, spanRowOf } from "../../../src/store/clickhouse/span-row.js";
import { TraceSums } from "../../../src/store/clickhouse/trace-sums.js";
import { readHeld, spansOf } from "../read-trace.js";
import {
  aModelCall,
  anEvaluation,
  aSpan,
  FakeClock,
  pipelineSpans,
  type BatchOptions,
} from "../span-batches.js";
import { aDatabase, missingClickHouse, startClickHouse, type ClickHouseServer } from "./clickhouse-server.js";
import { openClickHouseStore, type ClickHouseStoreOptions } from "./clickhouse-store.js";
import { startAnsweringProxy, startHoldingProxy } from "./holding-proxy.js";

async function until(what: string, look: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!look()) {
    if (performance.now() > deadline) throw new Error(`Timed out, waiting until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function stepsOf(read: (add: AddSteps) => Promise<void>): Promise<WrittenStep[]> {
  const steps: WrittenStep[] = [];
  await read(async (some) => void steps.push(...some));
  return steps;
}

const KEY = { tenant: "", traceId: "trace" };
const FAILURE = "Code: 241. DB::Exception: memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) (version 26.7)";

describe.skipIf(missingClickHouse() !== undefined)("a store that collectors share", () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.stop());

  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const clock = new FakeClock();
  async function open(
    options: Partial<ClickHouseStoreOptions> & { readonly server?: Pick<ClickHouseServer, "url"> } = {},
  ) {
    const lines: string[] = [];
    const opened = await openClickHouseStore(options.server ?? server, {
      maxSpansPerTrace: 500,
      ttlSeconds: 0,
      clock,
      lines,
      ...options,
    });
    closing.push(async () => await opened.close?.());
    return { ...opened, lines };
  }

  function tables(database: string): Database {
    const opened = openDatabase({ url: server.url, user: "default", password: "", database });
    onTestFinished(() => opened.close());
    return opened;
  }

  async function write(
    store: TraceStore,
    spans: Span | readonly Span[],
    options?: BatchOptions,
  ): Promise<void> {
    await store.append(pipelineSpans([spans].flat(), { receivedAtMs: clock.wallMs, ...options }));
    await store.flush();
  }

  const summaryOf = async (store: TraceStore) => (await store.summaries([KEY]))[0];

  it("has what every collector wrote, summed up over all of it, and once what was written twice", async () => {
    const first = await open();
    const second = await open({ database: first.database });
    const root = aSpan({ span_id: "root", name: "run" });
    const call = aModelCall({ span_id: "call", parent_span_id: "root" });
    await Promise.all([write(first.store, root), write(second.store, call)]);
    await write(second.store, [root, call, anEvaluation("relevance", 0.5)]);
    for (const { store } of [first, second])
      expect(await summaryOf(store)).toMatchObject({
        root_name: "run",
        span_count: 2,
        llm_calls: 1,
        tokens_input: 100,
        scores: [{ type: "relevance", score: 0.5 }],
      });
    expect(await spansOf(await first.store.get(KEY))).toHaveLength(3);
    await second.store.count();
    expect(second.store.usage()).toMatchObject({ traces: 1, spans: 3, state: "ok" });
  });

  it("replaces a running span that came on the day before, and keeps the place of its trace", async () => {
    const { store } = await open();
    const midnight = Date.UTC(2026, 0, 2);
    const span = aSpan({ span_id: "a" });
    await write(store, { ...span, status: "RUNNING" }, { receivedAtMs: midnight - 1 });
    await write(store, aSpan({ trace_id: "between" }), { receivedAtMs: midnight });
    await write(store, span, { receivedAtMs: midnight + 1 });
    expect(await spansOf(await store.get(KEY))).toMatchObject([{ span_id: "a", status: "OK" }]);
    expect(await readHeld(await store.getSpan(KEY, "a"))).toMatchObject({ status: "OK" });
    const { traces } = await store.list({});
    expect(traces.map(({ trace_id, status }) => [trace_id, status])).toEqual([
      ["between", "OK"],
      ["trace", "OK"],
    ]);
    // The start of a span that was sent twice does not undo its end.
    await write(store, { ...span, status: "RUNNING" }, { receivedAtMs: midnight - 1 });
    expect(await summaryOf(store)).toMatchObject({ status: "OK", running: false });
  });

  it("contract 3: removes again what arrived before a deletion that is told while it is written, and sums up the rest", async () => {
    const deletedMs = 1000;
    let knownMs = -Infinity;
    const isTold = [false, true, true];
    const { store } = await open({
      deletions: {
        add: async () => undefined,
        lastOf: ({ traceId }) => (traceId === "other" ? -Infinity : knownMs),
        // It is told between the first look, after the spans of another trace were written, and the second.
        look: async () => void (isTold.shift() === true && (knownMs = deletedMs)),
      },
    });
    const sent = (trace_id: string, receivedAtMs: number, span_id = "a") =>
      pipelineSpans([aSpan({ trace_id, span_id })], { receivedAtMs });
    await store.append(sent("other", deletedMs));
    await store.flush();
    await store.append([
      ...sent("other", deletedMs, "b"),
      ...sent("gone", deletedMs),
      ...sent("trace", deletedMs),
      ...sent("trace", deletedMs + 1, "b"),
    ]);
    await store.append(sent("file", deletedMs), { isImport: true });
    await store.flush();
    // It is known by now.
    await store.append([...sent("gone", deletedMs), ...sent("trace", deletedMs)]);
    await store.append(sent("file", deletedMs, "b"), { isImport: true });
    await store.flush();
    const { traces } = await store.list({});
    expect(traces.map(({ trace_id, span_count }) => [trace_id, span_count]).toSorted()).toEqual([
      ["file", 2],
      ["other", 2],
      ["trace", 1],
    ]);
    expect(await spansOf(await store.get({ tenant: "", traceId: "gone" }))).toEqual([]);
    expect(await spansOf(await store.get(KEY))).toMatchObject([{ span_id: "b" }]);
  });

  it("removes the traces of a tenant, and tells other collectors before and after", async () => {
    const told: unknown[] = [];
    const { store } = await open({
      deletions: {
        lastOf: () => -Infinity,
        look: async () => undefined,
        add: async (deleted) => void told.push([deleted, (await store.list({})).traces.length]),
      },
    });
    await write(store, aSpan(), { tenant: "a" });
    await write(store, aSpan(), { tenant: "b" });
    await store.removeTenant?.("a");
    expect(told).toEqual([
      [[{ tenant: "a" }], 2],
      [[{ tenant: "a" }], 1],
    ]);
    expect(store.usage().evicted.cleared).toBe(1);
    told.length = 0;
    expect(await store.remove({ tenant: "b", traceId: "trace" })).toBe(true);
    expect(told).toEqual([
      [[{ tenant: "b", traceId: "trace" }], 1],
      [[{ tenant: "b", traceId: "trace" }], 0],
    ]);
    await write(store, aSpan());
    told.length = 0;
    expect(await store.clear()).toBe(1);
    expect(told).toEqual([
      [[{}], 1],
      [[{}], 0],
    ]);
  });

  const daysOf = async (sql: Database): Promise<readonly number[]> =>
    (await sql.rows<{ ms: number }>("SELECT first_received_ms AS ms FROM traces FINAL ORDER BY ms")).map(
      ({ ms }) => new Date(ms).getUTCDate(),
    );

  it("counts a trace once whose later spans were summed up before its first ones, on the day before", async () => {
    const first = await open();
    const second = await open({ database: first.database });
    const sql = tables(first.database);
    const midnight = Date.UTC(2026, 0, 2);
    await write(second.store, aSpan({ span_id: "b" }), { receivedAtMs: midnight + 1 });
    expect(await daysOf(sql)).toEqual([2]);
    await write(first.store, aSpan({ span_id: "a" }), { receivedAtMs: midnight - 1 });
    expect(await daysOf(sql)).toEqual([1]);
    expect(await first.store.facets({})).toMatchObject({ total: 1 });
    expect(await summaryOf(second.store)).toMatchObject({ span_count: 2 });
  });

  it("counts a trace once whose spans two collectors sum up at the same time, on both sides of midnight", async () => {
    const { database } = await open();
    const sql = tables(database);
    const midnight = Date.UTC(2026, 0, 2);
    const rowsOf = (span_id: string, receivedAtMs: number) =>
      pipelineSpans([aSpan({ span_id })], { receivedAtMs }).map((span) => spanRowOf(span, new Arrivals()));
    const [before, after] = [rowsOf("a", midnight - 1), rowsOf("b", midnight + 1)];
    const options = { clock, maxSpansPerTrace: 500 };
    const early = new TraceSums({ ...options, database: sql });
    let isFirst = true;
    const late = new TraceSums({
      ...options,
      database: {
        ...sql,
        // The other one begins and ends between what this one has read and what it writes.
        async insert(...given) {
          if (isFirst) {
            isFirst = false;
            await sql.insert("spans", before);
            await early.write(before, new Map());
            expect(await daysOf(sql)).toEqual([1]);
          }
          await sql.insert(...given);
        },
      },
    });
    await sql.insert("spans", after);
    await late.write(after, new Map());
    expect(await daysOf(sql)).toEqual([1]);
    expect(await sql.rows("SELECT span_count AS spans FROM traces FINAL")).toEqual([{ spans: 2 }]);
  });

  it("shows what is left of a trace when ClickHouse has removed its expired spans", async () => {
    const { store, database } = await open();
    await write(store, [aSpan({ span_id: "a" }), aSpan({ span_id: "b" }), aSpan({ span_id: "c" })]);
    await tables(database).run("DELETE FROM spans WHERE span_id IN ('a', 'b')");
    await write(store, aModelCall({ span_id: "d" }));
    expect(await summaryOf(store)).toMatchObject({ span_count: 2, llm_calls: 1 });
    await write(store, aModelCall({ span_id: "e" }));
    expect(await summaryOf(store)).toMatchObject({ span_count: 3, llm_calls: 2 });
  });

  it("writes no row for a trace whose spans were deleted before they were summed up", async () => {
    const { database } = await open();
    const sql = tables(database);
    const spans = pipelineSpans([aSpan(), aSpan()]).map((span) => spanRowOf(span, new Arrivals()));
    const sums = new TraceSums({ clock, maxSpansPerTrace: 500, database: sql });
    await sums.write(spans, new Map());
    expect(await sql.rows("SELECT * FROM traces")).toEqual([]);
  });

  it("writes while slow questions wait, and awaits no count", async () => {
    const proxy = await startHoldingProxy(server.url, (text) => text.includes("FROM traces FINAL"));
    onTestFinished(() => proxy.close());
    // Its count is held too.
    const { store } = await open({ server: proxy });
    // No question is given up meanwhile, however slow the machine is.
    const { setTimeout: start } = globalThis;
    vi.spyOn(globalThis, "setTimeout").mockImplementation((run: () => void, ms = 0) =>
      start(run, ms < 10_000 ? ms : 3_600_000),
    );
    onTestFinished(() => void vi.restoreAllMocks());
    let answered = 0;
    const questions = Array.from({ length: 20 }, () => store.facets({}).finally(() => answered++));
    while (proxy.held < 16) await new Promise((resolve) => setImmediate(resolve));
    await write(store, aSpan());
    expect(answered).toBe(0);
    proxy.release();
    await Promise.all(questions);
    expect(await summaryOf(store)).toMatchObject({ span_count: 1 });
  });

  it("keeps texts that UTF-8 cannot write, and any other character", async () => {
    const { store } = await open();
    const text = "\ud800 ' \\ \0 \n 🎉";
    const span = aModelCall({ span_id: "a", name: text, attributes: { prompt_text: text, model: text } });
    await write(store, span, { service: text });
    expect(await readHeld(await store.getSpan(KEY, "a"))).toMatchObject({
      attributes: { prompt_text: text, model: text },
    });
    expect(await summaryOf(store)).toMatchObject({
      root_name: text.toWellFormed(),
      models: [text.toWellFormed()],
    });
  });

  it("spec 4.9 rule 2: shows no trace that had no span for ttl_seconds", async () => {
    const { store } = await open({ ttlSeconds: 60 });
    const atMs = Date.now();
    clock.wallMs = atMs;
    onTestFinished(() => void (clock.wallMs = Date.UTC(2026, 0, 1)));
    await write(store, aSpan());
    expect((await store.list({})).traces).toHaveLength(1);
    clock.wallMs = atMs + 60_000;
    expect((await store.list({})).traces).toEqual([]);
    expect(await store.get(KEY)).toBeUndefined();
    expect(await store.tenantsOf("trace")).toEqual([]);
  });

  it("takes the expiry of the configuration for tables that exist, and refuses those of a newer version", async () => {
    const { database } = await open({ ttlSeconds: 60 });
    const sql = tables(database);
    const engines = async () =>
      (
        await sql.rows<{ engine: string }>(
          "SELECT engine_full AS engine FROM system.tables WHERE database = {database:String} AND name IN ('spans', 'traces')",
          { database },
        )
      ).map(({ engine }) => /toIntervalSecond\((\d+)\)/.exec(engine)?.[1]);
    expect(await engines()).toEqual(["60", "60"]);
    await open({ database, ttlSeconds: 90 });
    expect(await engines()).toEqual(["90", "90"]);
    await open({ database });
    expect(await engines()).toEqual([undefined, undefined]);
    await sql.run("INSERT INTO migrations VALUES (99, 0)");
    await expect(open({ database })).rejects.toThrow("tables of version 99; this one knows 2");
  });

  it("leaves the index of texts to obspan store migrate, which changes it for the texts that are there", async () => {
    const { store, database, lines } = await open();
    await write(store, aSpan({ attributes: { prompt_text: "findable" } }));
    const sql = tables(database);
    const indexes = async () =>
      await sql.rows<{ expr: string }>(
        "SELECT expr FROM system.data_skipping_indices WHERE database = {database:String} AND table = 'spans'",
        { database },
      );
    const migrateTo = async (textIndex: "ngrams" | "none") =>
      await migrate(
        { server: sql, database: sql, name: database },
        { textIndex, ttlSeconds: 0, changesTextIndex: true },
      );
    expect(await indexes()).toEqual([{ expr: "search_text" }]);
    expect(lines.join("\n")).not.toContain("text_index");
    const other = await open({ database, textIndex: "none" });
    expect(await indexes()).toHaveLength(1);
    expect(other.lines.join("\n")).toContain(
      "unlike trace_store.text_index: obspan store migrate changes it",
    );
    for (const textIndex of ["none", "ngrams"] as const) {
      expect(await migrateTo(textIndex)).toMatchObject({ hasOtherTextIndex: true });
      expect(await indexes()).toHaveLength(textIndex === "none" ? 0 : 1);
      expect(await migrateTo(textIndex)).toMatchObject({ hasOtherTextIndex: false });
      expect((await store.list({ q: "findable" })).traces).toHaveLength(1);
    }
    await expect
      .poll(
        async () =>
          await sql.rows(
            "SELECT command FROM system.mutations WHERE database = currentDatabase() AND is_done = 0",
          ),
        {
          timeout: 60_000,
        },
      )
      .toEqual([]);
    const explained = await sql.rows<{ explain: string }>(
      "SELECT explain FROM (EXPLAIN indexes = 1 SELECT name FROM spans WHERE search_text LIKE '%findable%')",
    );
    expect(explained.map(({ explain }) => explain).join("\n")).toContain("Name: text");
  });

  it("spec 4.9 rule 2: removes the oldest days while the tables are larger than trace_store.disk_max_bytes, but not the newest", async () => {
    const { store, database } = await open();
    const midnight = Date.UTC(2026, 0, 3);
    const days = [-2, -1, 0].map((day) => midnight + day * 86_400_000);
    for (const [index, receivedAtMs] of days.entries())
      await write(store, [aSpan({ trace_id: `a${index}` }), aSpan({ trace_id: `b${index}` })], {
        receivedAtMs,
      });
    await write(store, aSpan({ trace_id: "b0" }), { receivedAtMs: midnight });
    const sql = tables(database);
    const idsIn = async (table: string) =>
      (await sql.rows<{ id: string }>(`SELECT DISTINCT trace_id AS id FROM ${table} ORDER BY id`)).map(
        ({ id }) => id,
      );
    if (server.isOwn) {
      // As if a day had more than 50 GB. The engine has one session for all.
      await sql.run("SET max_partition_size_to_drop = 1");
      closing.unshift(() => sql.run("SET max_partition_size_to_drop = DEFAULT"));
      await expect(
        sql.run("ALTER TABLE traces DROP PARTITION {day:Int64}", { day: midnight / 86_400_000 }),
      ).rejects.toThrow("not dropped");
    }
    const limited = await open({ database, maxDiskBytes: 1 });
    await until("the older days are removed", () => limited.store.usage().evicted.disk_max_bytes === 4);
    await until("the newest day is looked at", () =>
      limited.lines.some((line) => line.includes("They are kept")),
    );
    // What a trace got today stays until today is removed.
    expect(await idsIn("spans")).toEqual(["a2", "b0", "b2"]);
    expect(await idsIn("traces")).toEqual(["a2", "b2"]);
    expect(limited.lines.filter((line) => line.startsWith("The traces of"))).toEqual([
      expect.stringMatching(
        /^The traces of 2026-01-01 are removed \(.*\): the tables were larger than trace_store/,
      ),
      expect.stringContaining("The traces of 2026-01-02 are removed"),
      expect.stringMatching(/^The traces of one day take .*, more than trace_store.disk_max_bytes/),
    ]);
    // The one that has no limit removes nothing.
    expect(store.usage().evicted.disk_max_bytes).toBe(0);
  });

  it("reads the newest spans of a long trace, and counts the others as dropped", async () => {
    const { store } = await open();
    await write(
      store,
      Array.from({ length: 20_005 }, () => aSpan()),
    );
    expect(await summaryOf(store)).toMatchObject({ span_count: 500, dropped_spans: 19_505 });
    await write(store, aModelCall({ span_id: "last" }), { receivedAtMs: clock.wallMs + 60_000 });
    expect(await summaryOf(store)).toMatchObject({ span_count: 500, dropped_spans: 19_506, llm_calls: 1 });
    const spans = await spansOf(await store.get(KEY));
    expect(spans).toHaveLength(500);
    expect(spans.some(({ span_id }) => span_id === "last")).toBe(true);
  });

  it("comes back whole from an import, also if its first write was repeated", async () => {
    const { store } = await open();
    const remains = { partial: true, session_id: "chat" } as const;
    const spans = pipelineSpans([aSpan({ span_id: "a" })], { receivedAtMs: clock.wallMs });
    for (const restored of [[{ ...KEY, remains }], [], [{ ...KEY, remains: {} }]]) {
      await store.append(spans, { isImport: true, restored });
      await store.flush();
      expect(await summaryOf(store)).toMatchObject({ partial: true, session_id: "chat", span_count: 1 });
    }
    const trace = await store.get(KEY);
    expect(trace?.remains).toEqual(remains);
  });

  it("writes the rows of many traces together: ClickHouse merges few large parts faster", async () => {
    let inserts = 0;
    const proxy = await startAnsweringProxy(server.url, (asked) => {
      if (asked.includes("INSERT INTO traces")) inserts++;
      return undefined;
    });
    onTestFinished(() => proxy.close());
    const { store } = await open({ server: proxy });
    await write(
      store,
      Array.from({ length: 600 }, (_, index) => aSpan({ trace_id: `trace-${index}` })),
    );
    expect(inserts).toBe(1);
    await store.count();
    expect(store.usage().traces).toBe(600);
  });

  it("sends spans again whose insert fails after ClickHouse has told its success", async () => {
    let failures = 0;
    const proxy = await startAnsweringProxy(server.url, (asked) =>
      asked.includes("INSERT INTO spans") && failures++ === 0 ? { body: FAILURE } : undefined,
    );
    onTestFinished(() => proxy.close());
    const { store, lines } = await open({ server: proxy });
    await write(store, aSpan());
    expect(await summaryOf(store)).toMatchObject({ span_count: 1 });
    expect(lines.join("\n")).toContain("ClickHouse takes no spans (memory limit exceeded");
  });

  it("answers 503 to a question that fails after its first rows, and no part of them", async () => {
    const { store, database } = await open();
    await write(store, aSpan());
    const tag = "TAG";
    const end = `\r\n__exception__\r\n${tag}\r\n${FAILURE}\n${FAILURE.length + 1} ${tag}\r\n__exception__\r\n`;
    const proxy = await startAnsweringProxy(server.url, (asked) =>
      asked.includes("first_arrival, 0 AS value")
        ? {
            headers: { "X-ClickHouse-Exception-Tag": tag },
            body: `{"tenant":"","trace_id":"trace","first_arrival":1,"value":0}\n${end}`,
          }
        : undefined,
    );
    onTestFinished(() => proxy.close());
    const failing = await open({ server: proxy, database });
    await expect(failing.store.list({})).rejects.toMatchObject({ code: "trace_store_unavailable" });
  });

  it("leaves out a span that ClickHouse cannot read, and keeps the others", async () => {
    const { store, database, lines } = await open();
    await tables(database).run("ALTER TABLE spans MODIFY COLUMN user_id FixedString(4)");
    await write(store, [
      aSpan({ span_id: "a", attributes: { user_id: "abcd" } }),
      aSpan({ span_id: "b", attributes: { user_id: "too long" } }),
      aSpan({ span_id: "c", attributes: { user_id: "abcd" } }),
    ]);
    expect((await spansOf(await store.get(KEY))).map(({ span_id }) => span_id)).toEqual(["a", "c"]);
    expect(store.usage()).toMatchObject({ state: "ok", unsaved: { io_error: 1 } });
    expect(lines.join("\n")).toContain("1 spans are not kept, because ClickHouse cannot read them (code ");
    expect(lines.join("\n")).not.toContain("too long");
  });

  it("goes on without the row of a trace that ClickHouse cannot read, and counts its spans", async () => {
    const { store, database, lines } = await open();
    await tables(database).run("ALTER TABLE traces MODIFY COLUMN user_id FixedString(4)");
    const ofUser = (trace_id: string, user_id: string) => aSpan({ trace_id, attributes: { user_id } });
    await write(store, [
      ofUser("a", "abcd"),
      ofUser("b", "too long"),
      ofUser("b", "too long"),
      ofUser("c", "abcd"),
    ]);
    expect((await store.list({})).traces.map(({ trace_id }) => trace_id).toSorted()).toEqual(["a", "c"]);
    expect(store.usage()).toMatchObject({ state: "ok", pendingBytes: 0, unsaved: { io_error: 2 } });
    expect(lines.join("\n")).toContain(
      "1 traces are not shown as they are now, because ClickHouse cannot read",
    );
    expect(lines.join("\n")).not.toContain("too long");
  });

  it("keeps the views that were written last, also if a clock is behind", async () => {
    const { store } = await open();
    await store.views.write("first");
    clock.wallMs -= 1000;
    onTestFinished(() => void (clock.wallMs += 1000));
    await store.views.write("second");
    expect(await store.views.read()).toBe("second");
  });

  it("contract 3, statistics: gives each the steps of the others once, and the last minute of one that was killed", async () => {
    const { store, database } = await open();
    const { store: other } = await open({ database });
    const minute = Math.floor(Date.now() / 60_000) * 60 - 3600;
    const step = (resolutionSeconds: number, startSeconds: number): ClosedStep => ({
      resolutionSeconds,
      startSeconds,
      format: 1,
      data: Buffer.from(Array.from({ length: 256 }, (_, index) => (index + startSeconds) % 256)),
    });
    // It has ended in the second minute.
    const steps = [step(10, minute), step(60, minute), step(10, minute + 60), step(10, minute + 70)];
    for (let repeat = 0; repeat < 2; repeat++) expect(await other.stats.putStatsSteps(steps)).toBe(true);
    await store.stats.putStatsSteps([step(10, minute), step(60, minute)]);

    const all = { sinceMs: 0, fromSeconds: minute, known: [] };
    const minutes = (from: number, before: number) =>
      stepsOf((add) => store.stats.minutes(from, before, add));
    const written = async (asked: Parameters<typeof store.stats.written>[0]): Promise<WrittenStep[]> =>
      await stepsOf(async (add) => expect(await store.stats.written(asked, add)).toBe(false));
    const byStart = (await written(all)).toSorted((a, b) => a.startSeconds - b.startSeconds);
    expect(byStart).toMatchObject([steps[0], steps[2], steps[3]]);
    expect(await written({ ...all, known: byStart.slice(1) })).toEqual([byStart[0]]);
    expect(await written({ ...all, sinceMs: Date.now() + 3_600_000 })).toEqual([]);
    expect(await written({ ...all, fromSeconds: minute + 70 })).toEqual([byStart[2]]);
    expect(await minutes(minute, minute + 3600)).toMatchObject([steps[3], steps[2], steps[1]]);
    expect(await minutes(minute - 3600, minute)).toEqual([]);
  });

  it("holds a few of the steps of others at a time, also if each of them is large", async () => {
    const { store, database } = await open();
    const { store: other } = await open({ database });
    const minute = Math.floor(Date.now() / 60_000) * 60 - 3600;
    const steps = Array.from({ length: 24 }, (_, index) => ({
      ...{ resolutionSeconds: 60, startSeconds: minute + index * 60, format: 1 },
      data: randomBytes(2 ** 20),
    }));
    for (const step of steps) await other.stats.putStatsSteps([step]);
    let most = 0;
    let isAdding = false;
    const read = await stepsOf((add) =>
      store.stats.minutes(minute, minute + 3600, async (some) => {
        expect(isAdding).toBe(false);
        isAdding = true;
        most = Math.max(most, some.length);
        await new Promise((resolve) => setImmediate(resolve));
        isAdding = false;
        await add(some);
      }),
    );
    expect(read.map(({ startSeconds }) => startSeconds)).toEqual(
      steps.map(({ startSeconds }) => startSeconds).toReversed(),
    );
    expect(steps.at(-1)?.data.equals(read[0]?.data ?? Buffer.of())).toBe(true);
    expect(most).toBeLessThan(steps.length / 2);
  });

  it("makes a table that an older version did not have, with its expiry", async () => {
    const { database } = await open();
    await tables(database).run("DROP TABLE stats");
    await open({ database });
    const [table] = await tables(database).rows<{ engine: string }>(
      "SELECT engine_full AS engine FROM system.tables WHERE database = currentDatabase() AND name = 'stats'",
    );
    expect(table?.engine).toContain("TTL toDateTime(start_s) + toIntervalHour(26)");
  });

  it("removes many traces at once, and says of each whether it was there", async () => {
    const { store } = await open();
    const ids = Array.from({ length: 500 }, (_, trace) => `trace ${trace}`);
    await write(
      store,
      ids.slice(1).map((trace_id) => aSpan({ trace_id })),
    );
    const removed = await Promise.all(
      ids.slice(0, -1).map((traceId) => store.remove({ tenant: "", traceId })),
    );
    expect(removed).toEqual([false, ...Array<boolean>(498).fill(true)]);
    expect((await store.list({})).traces.map(({ trace_id }) => trace_id)).toEqual([ids.at(-1)]);
    await store.count();
    expect(store.usage()).toMatchObject({ traces: 1, evicted: { cleared: 498 } });
  });

  it("takes keys and lists that are longer than a parameter of ClickHouse may be", async () => {
    const { store } = await open();
    const tenant = "\u{1f30d}".repeat(128);
    const ids = Array.from({ length: 250 }, (_, trace) => `${"\u{1f680}".repeat(124)}${1000 + trace}`);
    const spansNamed = (span_id: string): Span[] =>
      ids.map((trace_id) => aSpan({ trace_id, span_id, attributes: { session_id: trace_id, tier: "gold" } }));
    for (const spanId of ["first", "second"]) await write(store, spansNamed(spanId), { tenant });
    const keys = ids.map((traceId) => ({ tenant, traceId }));
    expect((await store.summaries(keys)).map((summary) => summary?.span_count)).toEqual(ids.map(() => 2));
    const read: number[] = [];
    for await (const trace of store.getEach?.(keys) ?? []) read.push((await spansOf(trace)).length);
    expect(read).toEqual(ids.map(() => 2));
    expect((await store.list({ query: "@tier:gold", limit: 300 })).traces).toHaveLength(250);
    expect((await store.list({ query: "-@tier:gold" })).traces).toEqual([]);
    expect((await store.sessions({ limit: 200 })).sessions).toHaveLength(200);
    expect(await Promise.all(keys.map((key) => store.remove(key)))).toEqual(ids.map(() => true));
    expect((await store.list({})).traces).toEqual([]);
  });

  it("takes spans of more days at once than an insert of ClickHouse has by default", async () => {
    const { store } = await open();
    const days = Array.from({ length: 120 }, (_, day) => clock.wallMs - day * 86_400_000);
    for (const receivedAtMs of days)
      await store.append(pipelineSpans([aSpan({ trace_id: `of ${receivedAtMs}` })], { receivedAtMs }));
    await store.flush();
    await store.count();
    expect(store.usage()).toMatchObject({ traces: 120, state: "ok" });
  });

  it("answers 503 while ClickHouse is away, and writes later what it was given meanwhile", async () => {
    if (!server.isOwn) return;
    const { store, lines } = await open();
    await write(store, aSpan({ span_id: "before" }));
    await server.kill();
    await store.append(pipelineSpans([aSpan({ span_id: "meanwhile" })]));
    const flushed = store.flush();
    await until("the loss is noticed", () => store.usage().state === "degraded");
    await expect(store.list({})).rejects.toMatchObject({ code: "trace_store_unavailable" });
    expect(store.usage().pendingBytes).toBeGreaterThan(0);
    await server.start();
    await flushed;
    expect((await spansOf(await store.get(KEY))).map(({ span_id }) => span_id)).toEqual([
      "before",
      "meanwhile",
    ]);
    expect(store.usage()).toMatchObject({ state: "ok", pendingBytes: 0 });
    expect(lines.filter((line) => line.startsWith("ClickHouse takes"))).toHaveLength(2);
  });

  it("gives up at its deadline, so that nothing is acknowledged that is not written", async () => {
    if (!server.isOwn) return;
    const { store, lines } = await open();
    await server.kill();
    await store.append(pipelineSpans([aSpan()]));
    const flushed = store.flush();
    const refused = expect(flushed).rejects.toMatchObject({ code: "trace_store_unavailable" });
    await store.stop(clock.monotonic());
    await refused;
    await expect(store.append(pipelineSpans([aSpan()]))).rejects.toMatchObject({
      code: "trace_store_unavailable",
    });
    expect(lines.at(-1)).toContain("1 span could not be written to ClickHouse");
    await server.start();
  });

  it("starts while ClickHouse is away, and makes its tables when it is back", async () => {
    if (!server.isOwn) return;
    await server.kill();
    const { store, lines } = await open({ database: aDatabase() });
    await store.append(pipelineSpans([aSpan()]));
    const flushed = store.flush();
    await server.start();
    await flushed;
    expect(await summaryOf(store)).toMatchObject({ span_count: 1 });
    expect(lines[0]).toContain("cannot be used");
  });
});
