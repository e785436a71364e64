import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Span } from "@obspan/sdk/wire";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { StoreMaintenance, TraceStore } from "../../../src/interfaces.js";
import { availableDrivers, openSqlite } from "../../../src/store/sqlite/driver/open-sqlite.js";
import { SQL_CODES, SqlError } from "../../../src/store/sqlite/driver/sqlite-driver.js";
import { FILE_FORMAT } from "../../../src/store/sqlite/file/migrations.js";
import type { DurableTraceStore } from "../../../src/store/sqlite/sqlite-trace-store.js";
import { spansOf } from "../read-trace.js";
import { aModelCall, anEvaluation, aSpan, FakeClock, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore, type DurableStoreOptions } from "./durable-store.js";
import { openFaulty, type Faults } from "./faulty-database.js";
import { noiseOf } from "./noise.js";
import { randomRuns } from "../../random-runs.js";

const NEWER = { ...FILE_FORMAT, version: FILE_FORMAT.version + 1 };
const TTL_SECONDS = 100;

/** Holds a rebuild between two steps. */
class Gate {
  isOpen = false;
  #pass: (() => void) | undefined;

  readonly betweenSteps = (): Promise<void> =>
    this.isOpen ? Promise.resolve() : new Promise((resolve) => (this.#pass = resolve));

  /** Lets a step run, if the rebuild has come to the gate. */
  async step(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    const pass = this.#pass;
    this.#pass = undefined;
    pass?.();
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  open(): void {
    this.isOpen = true;
    this.#pass?.();
  }
}

const appendTo = (store: TraceStore, clock: FakeClock, spans: readonly Span[]): Promise<void> =>
  store.append(pipelineSpans(spans, { receivedAtMs: clock.wallMs }));

/** Closes the chunk under way: removing a trace does, also one that is not there. */
async function closeChunk(store: TraceStore): Promise<void> {
  await store.remove({ tenant: "", traceId: "none" });
}

/** @param isOrdered - false: the order of traces is left out of the answers. */
async function answersOf(store: TraceStore, isOrdered: boolean): Promise<unknown> {
  await store.flush();
  const page = await store.list({ limit: 1000 });
  const traces = isOrdered
    ? page.traces
    : page.traces.toSorted((a, b) => a.trace_id.localeCompare(b.trace_id));
  const spans = [];
  for (const { trace_id: traceId } of traces) {
    const trace = await store.get({ tenant: "", traceId });
    spans.push(await spansOf(trace));
    trace?.release();
  }
  const usage = store.usage();
  const ids = async (query: object) => {
    const found = (await store.list({ limit: 1000, ...query })).traces.map((trace) => trace.trace_id);
    return isOrdered ? found : found.sort();
  };
  return {
    traces,
    spans,
    found: await ids({ q: "needle" }),
    errors: await ids({ status: "ERROR" }),
    slowest: await ids({ order: "slowest" }),
    facets: await store.facets({}),
    histogram: await store.histogram({}),
    traceCount: usage.traces,
    spanCount: usage.spans,
  };
}

/** Copies the files as a kill leaves them, without the locks of the process. */
function copyAsKilled(directory: string): string {
  const copy = mkdtempSync(join(tmpdir(), "obspan-killed-"));
  for (const suffix of ["", "-wal"]) {
    const path = join(directory, `traces.db${suffix}`);
    if (existsSync(path)) copyFileSync(path, join(copy, `traces.db${suffix}`));
  }
  return copy;
}

const traceIds = fc.integer({ min: 0, max: 13 }).map((n) => `trace-${n}`);
const second = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
/** Spans of few ids, so that they are replaced often. Their starts tell their order. */
const anySpan: fc.Arbitrary<Span> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .record({
        id: fc.nat(7),
        name: fc.constantFrom("a", "b", "needle"),
        trace_id: traceIds,
        status: fc.constantFrom("OK", "ERROR", "RUNNING"),
        duration_ms: fc.nat(1000),
        attributes: fc.record({
          tokens_input: fc.nat(100),
          prompt_text: fc.constantFrom("hay", "a needle", "stack"),
        }),
      })
      .map(({ id, ...fields }) => ({ span_id: `span-${id}`, start_time: second(id), ...fields })),
  },
  {
    weight: 1,
    arbitrary: traceIds.map((trace_id) =>
      anEvaluation("tone", 0.5, { trace_id, span_id: `tone-${trace_id}`, start_time: second(9) }),
    ),
  },
);
type Step =
  | { readonly append: readonly Span[] }
  | { readonly advanceMs: number }
  | { readonly remove: string }
  | { readonly closeChunk: boolean };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ append: fc.array(anySpan, { minLength: 1, maxLength: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ advanceMs: fc.constantFrom(1, 60, 20_000, 60_000) }) },
  { weight: 2, arbitrary: fc.record({ remove: traceIds }) },
  { weight: 6, arbitrary: fc.record({ closeChunk: fc.constant(true) }) },
);
const stepOfRebuild = fc.oneof(
  { weight: 10, arbitrary: step },
  { weight: 8, arbitrary: fc.record({ rebuild: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ trim: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.record({ fail: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kill: fc.constant(true) }) },
);

describe("a trace file that is rebuilt while it is used", () => {
  // A span that was replaced may have been the first of its trace, and alone in its chunk, which is gone then: after a rebuild
  // the place of the trace, and which of its spans is the oldest, follow from the others. So either spans are replaced and the
  // order is not compared, or the oldest are dropped.
  it.each([
    ["of replaced spans", { maxSpansPerTrace: 500, isReplaced: true }],
    ["of dropped spans", { maxSpansPerTrace: 6, isReplaced: false }],
  ])(
    "%s ends like a file that needed no rebuild, whatever happened meanwhile",
    async (_, sizes) => {
      const { maxSpansPerTrace, isReplaced } = sizes;
      let lastId = 10;
      const withNewId = (span: Span): Span => ({
        ...span,
        span_id: `span-${++lastId}`,
        start_time: second(lastId),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 10, maxLength: 40 }),
          fc.array(stepOfRebuild, { minLength: 5, maxLength: 40 }),
          async (before, during) => {
            const clock = new FakeClock();
            const bounds = { clock, maxSpansPerTrace, ttlSeconds: TTL_SECONDS };
            const faults: Faults = { db: undefined };
            let isTrimming = false;
            let gate = new Gate();
            const directories: string[] = [];
            const control = await openDurableStore(bounds);
            let durable = await openDurableStore(bounds);
            const openOlder = async (directory: string): Promise<void> => {
              directories.push(directory);
              gate = new Gate();
              durable = await openDurableStore({
                ...bounds,
                directory,
                format: NEWER,
                openDatabase: openFaulty(faults),
                usualBufferBytes: () => (isTrimming ? 0 : 2 ** 24),
                betweenSteps: gate.betweenSteps,
              });
            };
            const both = async (work: (store: TraceStore) => Promise<unknown>): Promise<void> => {
              await work(control.store);
              await work(durable.store);
            };
            const run = async (each: Step): Promise<void> => {
              if ("append" in each) {
                const spans = isReplaced ? each.append : each.append.map(withNewId);
                await both((store) => appendTo(store, clock, spans));
              } else if ("remove" in each) {
                // The rebuild may wait for its next step, not the removal.
                expect(await durable.store.remove({ tenant: "", traceId: each.remove })).toBe(
                  await control.store.remove({ tenant: "", traceId: each.remove }),
                );
              } else if ("advanceMs" in each) {
                clock.advance(each.advanceMs);
                control.engine.tick();
                durable.engine.tick();
              } else await both(closeChunk);
            };
            try {
              for (const each of before) await run(each);
              await durable.store.stop();
              await control.reopen();
              await openOlder(durable.directory);
              for (const each of during) {
                if ("rebuild" in each) for (let n = 0; n <= each.rebuild; n++) await gate.step();
                else if ("trim" in each) {
                  isTrimming = true;
                  await durable.store.flush();
                  isTrimming = false;
                } else if ("fail" in each) {
                  let left = each.fail;
                  faults.onStatement = (sql) => {
                    if (sql.startsWith("ROLLBACK") || left-- > 0) return;
                    faults.onStatement = undefined;
                    throw new SqlError(SQL_CODES.IOERR, "an injected fault");
                  };
                  await gate.step();
                  faults.onStatement = undefined;
                  // A failed step is repeated after a while.
                  clock.advance(5000);
                  control.engine.tick();
                  durable.engine.tick();
                } else if ("kill" in each) {
                  await durable.store.flush();
                  const copy = copyAsKilled(durable.directory);
                  await durable.store.stop();
                  await openOlder(copy);
                  await control.reopen();
                } else await run(each);
                const { traces } = await durable.store.list({ limit: 1000 });
                expect(new Set(traces.map((trace) => trace.trace_id)).size).toBe(traces.length);
              }
              gate.open();
              await durable.rebuilt();
              for (let n = 0; n < 3; n++) {
                clock.advance(1000);
                control.engine.tick();
                durable.engine.tick();
              }
              expect(await answersOf(durable.store, !isReplaced)).toEqual(
                await answersOf(control.store, !isReplaced),
              );
              expect(durable.store.usage()).toMatchObject({ state: "ok", rebuildProgress: null });
              await durable.reopen();
              await control.reopen();
              expect(await answersOf(durable.store, !isReplaced)).toEqual(
                await answersOf(control.store, !isReplaced),
              );
              // The counts of the chunks are right: when all traces are gone, so are they.
              const { traces } = await durable.store.list({ limit: 1000 });
              for (const { trace_id: traceId } of traces) await durable.store.remove({ tenant: "", traceId });
              await durable.store.flush();
              expect(durable.store.usage()).toMatchObject({ traces: 0, spans: 0 });
              expect(
                faults.db?.prepare("SELECT count(*) AS chunks FROM chunk WHERE data IS NOT NULL").get(),
              ).toEqual({
                chunks: 0,
              });
            } finally {
              await control.close();
              await durable.close();
              for (const directory of directories) rmSync(directory, { recursive: true, force: true });
            }
          },
        ),
        { seed: 20260101, numRuns: randomRuns(3) },
      );
    },
    300_000,
  );

  /** Stores some traces, each in a chunk of its own, and opens the file with a newer version that waits between steps. */
  async function openRebuilding(
    traces: number,
    options: DurableStoreOptions = {},
  ): Promise<[DurableStore, Gate]> {
    const older = await openDurableStore(options);
    for (let n = 0; n < traces; n++) {
      const spans = [
        aModelCall({ trace_id: `t${n}`, attributes: { prompt_text: `text ${noiseOf(n, 100)}` } }),
      ];
      await appendTo(older.store, older.clock, spans);
      await closeChunk(older.store);
    }
    await older.store.stop();
    const gate = new Gate();
    const { directory, clock } = older;
    const newer = await openDurableStore({
      ...options,
      directory,
      clock,
      format: NEWER,
      betweenSteps: gate.betweenSteps,
    });
    onTestFinished(async () => {
      gate.open();
      await newer.close();
    });
    return [newer, gate];
  }

  const idsOf = async ({ store }: DurableStore, query: object = {}): Promise<string[]> =>
    (await store.list({ limit: 1000, ...query })).traces.map((trace) => trace.trace_id);
  const maintenanceOf = ({ store }: DurableStore): StoreMaintenance =>
    (store as DurableTraceStore).maintenance;

  it("answers what is indexed so far, says how far it is, and takes spans", async () => {
    const [durable, gate] = await openRebuilding(10);
    await gate.step();
    await gate.step();
    await appendTo(durable.store, durable.clock, [aSpan({ trace_id: "new", name: "text" })]);
    const early = await idsOf(durable);
    expect(early[0]).toBe("new");
    expect(early.length).toBeGreaterThan(1);
    expect(early.length).toBeLessThan(11);
    expect(early.slice(1)).toEqual(early.slice(1).toSorted().reverse());
    expect(await idsOf(durable, { q: "text" })).toEqual(early);
    expect((await durable.store.facets({})).total).toBe(early.length);
    const progress = durable.store.usage().rebuildProgress;
    expect(progress).toBeGreaterThan(0);
    expect(progress).toBeLessThan(1);
    gate.open();
    await durable.rebuilt();
    const all = ["new", ...Array.from({ length: 10 }, (_, n) => `t${9 - n}`)];
    expect(await idsOf(durable)).toEqual(all);
    expect(await idsOf(durable, { q: "text" })).toEqual(all);
    expect(durable.store.usage()).toMatchObject({ rebuildProgress: null, traces: 11, spans: 11 });
  });

  it("refuses cursors from before its end, since traces move to their places then", async () => {
    const [durable, gate] = await openRebuilding(6);
    await gate.step();
    await gate.step();
    await gate.step();
    const { nextCursor } = await durable.store.list({ limit: 1 });
    expect(nextCursor).not.toBeNull();
    gate.open();
    await durable.rebuilt();
    await expect(durable.store.list({ limit: 1, cursor: nextCursor ?? "" })).rejects.toMatchObject({
      code: "invalid_query",
    });
  });

  it("is a task of the store, and refuses all others", async () => {
    const [durable, gate] = await openRebuilding(4);
    const maintenance = maintenanceOf(durable);
    expect(maintenance.task()).toBe("rebuild");
    const busy = { code: "store_busy", details: { task: "rebuild" } };
    await expect(maintenance.compact()).rejects.toMatchObject(busy);
    await expect(maintenance.verify()).rejects.toMatchObject(busy);
    await expect(maintenance.prune(0)).rejects.toMatchObject(busy);
    await expect(maintenance.backup()).rejects.toMatchObject(busy);
    expect((await maintenance.info()).traces).toBeLessThan(4);
    gate.open();
    await durable.rebuilt();
    expect(maintenance.task()).toBeNull();
    expect(await maintenance.prune(0)).toBe(4);
  });

  it("removes a trace that is not indexed yet with its text", async () => {
    const [durable, gate] = await openRebuilding(6);
    await gate.step();
    expect(await idsOf(durable)).not.toContain("t5");
    expect(await durable.store.remove({ tenant: "", traceId: "t5" })).toBe(true);
    expect(await durable.store.remove({ tenant: "", traceId: "t5" })).toBe(false);
    expect(readFileSync(durable.path).includes(noiseOf(5, 100))).toBe(false);
    gate.open();
    await durable.rebuilt();
    expect(await idsOf(durable)).toEqual(["t4", "t3", "t2", "t1", "t0"]);
    expect(durable.store.usage()).toMatchObject({ evicted: { cleared: 1 }, traces: 5 });
  });

  it("ends with an empty store if all traces are cleared meanwhile", async () => {
    const [durable, gate] = await openRebuilding(6);
    await gate.step();
    await durable.store.clear();
    gate.open();
    await durable.rebuilt();
    await appendTo(durable.store, durable.clock, [aSpan({ trace_id: "new" })]);
    expect(await idsOf(durable)).toEqual(["new"]);
  });

  it("evicts what is beyond the bounds after its end, not before", async () => {
    const [durable, gate] = await openRebuilding(6, { maxTraces: 6 });
    for (let n = 0; n < 4; n++)
      await appendTo(durable.store, durable.clock, [aSpan({ trace_id: `new${n}` })]);
    gate.open();
    await durable.rebuilt();
    for (let n = 0; n < 3; n++) {
      durable.clock.advance(1000);
      durable.engine.tick();
    }
    expect(await idsOf(durable)).toEqual(["new3", "new2", "new1", "new0", "t5", "t4"]);
    await durable.store.flush();
    expect(durable.store.usage().evicted.max_traces).toBe(4);
  });

  it("leaves out a chunk that is damaged, and counts its spans", async () => {
    const faults: Faults = { db: undefined };
    const older = await openDurableStore({ openDatabase: openFaulty(faults) });
    for (const trace_id of ["a", "b", "c"]) {
      await appendTo(older.store, older.clock, [aSpan({ trace_id })]);
      await closeChunk(older.store);
    }
    faults.db?.prepare("UPDATE chunk SET checksum = checksum + 1 WHERE id = 2").run();
    await older.store.stop();
    const { directory } = older;
    const durable = await openDurableStore({ directory, format: NEWER });
    onTestFinished(() => durable.close());
    await durable.rebuilt();
    expect(await idsOf(durable)).toEqual(["c", "a"]);
    expect(durable.store.usage()).toMatchObject({ unsaved: { corrupt_chunk: 1 }, state: "ok" });
  });

  it.each(availableDrivers())("begins again after a kill with %s", async (driver) => {
    const openDatabase = (path: string) => openSqlite(path, driver);
    const [durable, gate] = await openRebuilding(8, { openDatabase });
    for (let n = 0; n < 4; n++) await gate.step();
    await appendTo(durable.store, durable.clock, [aSpan({ trace_id: "t7" }), aSpan({ trace_id: "new" })]);
    await durable.store.flush();
    const directory = copyAsKilled(durable.directory);
    const again = await openDurableStore({ openDatabase, directory, format: NEWER, clock: durable.clock });
    onTestFinished(() => again.close());
    await again.rebuilt();
    expect(await idsOf(again)).toEqual(["new", "t7", "t6", "t5", "t4", "t3", "t2", "t1", "t0"]);
    expect(again.store.usage()).toMatchObject({ traces: 9, spans: 10 });
  });
});
