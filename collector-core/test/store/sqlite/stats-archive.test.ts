import { expect, it, onTestFinished } from "vitest";
import { createArchivedStats } from "../../../src/assembly/archived-stats.js";
import type { ClosedStep, StatsArchive } from "../../../src/interfaces.js";
import { createSpanStats, type SpanStats } from "../../../src/pipeline/stats/span-stats.js";
import { CELL } from "../../../src/pipeline/stats/stats-cells.js";
import { StatsSums } from "../../../src/pipeline/stats/stats-sums.js";
import { addRow } from "../../../src/pipeline/stats/step-blocks.js";
import { createPipelineSpan } from "../../../src/span/pipeline-span.js";
import { readSpanFacts } from "../../../src/span/span-facts.js";
import { createStorageEngine } from "../../../src/store/sqlite/engine/create-storage-engine.js";
import { createSqliteTraceStore } from "../../../src/store/sqlite/sqlite-trace-store.js";
import { recordingLogger, type LoggedLine } from "../../running-collector.js";
import { anEvaluation } from "../span-batches.js";
import { inlineThread } from "./inline-thread.js";
import { temporaryDirectory } from "./temporary-directory.js";

const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** A clock that all processes of a test share. */
let nowMs = NOON_MS;
const clock = { now: () => nowMs, monotonic: () => nowMs };

async function openStore(directory: string) {
  const options = {
    directory,
    maxTraces: 100,
    maxSpansPerTrace: 100,
    ttlSeconds: 0,
    maxBufferBytes: 2 ** 28,
    diskMaxBytes: 2 ** 40,
    minFreeBytes: 0,
    commitIntervalMs: 200,
  };
  const store = createSqliteTraceStore({
    clock,
    logger: recordingLogger([]),
    startThread: inlineThread((host) => createStorageEngine(options, host, { clock })),
  });
  await store.start();
  onTestFinished(() => store.stop());
  return store;
}

/** Statistics of one process, with their archive. */
async function process(archive: StatsArchive) {
  const lines: LoggedLine[] = [];
  const stats = createSpanStats({ clock });
  const archived = createArchivedStats({ stats, archive: () => archive, clock, log: recordingLogger(lines) });
  onTestFinished(() => archived.stop(0));
  await archived.start?.();
  return {
    stats,
    archived,
    lines,
    count(model: string, spans = 1) {
      stats.roll();
      const row = stats.touch(stats.rows.resolve({ service: "shop", model }));
      row.cells[CELL.spans] = (row.cells[CELL.spans] ?? 0) + spans;
    },
  };
}

function spans(stats: SpanStats, isCoarse: boolean): number {
  stats.roll();
  const sums = new StatsSums();
  for (const block of stats.blocksFrom(0, isCoarse))
    for (const index of block.rows.keys()) addRow(block, index, sums);
  return sums.cells[CELL.spans] ?? 0;
}

async function every(archive: StatsArchive, resolution: number): Promise<ClosedStep[]> {
  const found: ClosedStep[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = await archive.statsSteps(resolution, before);
    const last = page.at(-1);
    if (last === undefined) return found;
    found.push(...page);
    before = last.startSeconds;
  }
}

it("continues the step in which the process before was stopped, and counts nothing twice", async () => {
  nowMs = NOON_MS + 1000;
  const directory = temporaryDirectory();
  const store = await openStore(directory);
  const first = await process(store);
  first.count("a", 3);
  nowMs += 10_000;
  first.count("a", 4);
  await first.archived.stop(0);
  await store.stop();

  nowMs += 1000;
  const reopened = await openStore(directory);
  const second = await process(reopened);
  await second.archived.restored;
  expect([spans(second.stats, false), spans(second.stats, true)]).toEqual([7, 7]);
  expect(second.stats.completeSinceMs(false)).toBe(NOON_MS);
  second.count("a", 5);
  await second.archived.stop(0);

  nowMs += 120_000;
  const third = await process(reopened);
  await third.archived.restored;
  expect([spans(third.stats, false), spans(third.stats, true)]).toEqual([12, 12]);
  expect(third.stats.completeSinceMs(true)).toBe(NOON_MS);
});

it("remembers since when a process counted that had no spans at first", async () => {
  nowMs = NOON_MS + 1000;
  const store = await openStore(temporaryDirectory());
  const first = await process(store);
  await first.archived.restored;
  nowMs += 90_000;
  first.count("a");
  await first.archived.stop(0);

  nowMs += 1000;
  const second = await process(store);
  await second.archived.restored;
  expect(second.stats.completeSinceMs(false)).toBe(NOON_MS);
  expect(second.stats.completeSinceMs(true)).toBe(NOON_MS);
  expect([spans(second.stats, false), spans(second.stats, true)]).toEqual([1, 1]);
});

it("saves each step within two seconds after its end, which a kill then does not cost", async () => {
  nowMs = NOON_MS;
  const store = await openStore(temporaryDirectory());
  const killed = await process(store);
  await killed.archived.restored;
  killed.count("a", 3);
  nowMs += 10_000;
  killed.count("a", 4);
  await expect.poll(() => every(store, 10), { timeout: 10_000 }).toHaveLength(1);

  const next = await process(store);
  await next.archived.restored;
  expect(spans(next.stats, false)).toBe(3);
});

it("keeps a day of minutes and an hour of steps, also when all traces are deleted", async () => {
  nowMs = NOON_MS;
  const store = await openStore(temporaryDirectory());
  const first = await process(store);
  await first.archived.restored;
  for (let minute = 0; minute < 26 * 60; minute++) {
    first.count("a");
    nowMs += 60_000;
    if (minute % 60 === 0) await store.putStatsSteps(first.stats.takeClosed());
  }
  await first.archived.stop(0);
  await store.clear();
  const minutes = await every(store, 60);
  expect(minutes).toHaveLength(24 * 60 + 2);
  expect((await every(store, 10)).length).toBeLessThanOrEqual(62);
  const starts = minutes.map(({ startSeconds }) => startSeconds);
  expect(starts).toEqual(starts.toSorted((a, b) => b - a));

  const next = await process(store);
  await next.archived.restored;
  // The minute at the beginning of the day counts too.
  expect(spans(next.stats, true)).toBe(24 * 60 + 1);
});

it("leaves out steps that are damaged or of another version, and says so once", async () => {
  nowMs = NOON_MS;
  const store = await openStore(temporaryDirectory());
  const first = await process(store);
  await first.archived.restored;
  for (let step = 0; step < 4; step++) {
    first.count("a");
    nowMs += 10_000;
  }
  await first.archived.stop(0);
  const [newest, second, third, fourth] = await every(store, 10);
  if (!newest || !second || !third || !fourth) throw new Error("Too few steps.");
  await store.putStatsSteps([
    // The version before wrote format 1, which is read.
    { ...fourth, format: 1 },
    { ...newest, data: newest.data.map((byte) => byte ^ 1) },
    { ...second, data: second.data.subarray(1) },
    { ...third, format: 99 },
  ]);
  const next = await process(store);
  await next.archived.restored;
  expect(spans(next.stats, false)).toBe(1);
  expect(next.lines).toEqual([
    expect.objectContaining({
      level: "WARNING",
      message: "some statistics of earlier runs cannot be read",
      context: expect.objectContaining({ unknown_format: 1, damaged: 2 }) as object,
    }),
  ]);
});

it("keeps the labels of an evaluation that the collector created", async () => {
  nowMs = NOON_MS;
  const directory = temporaryDirectory();
  const store = await openStore(directory);
  const span = anEvaluation("tone", 1, { trace_id: "judged" });
  const context = { service: "shop", env: "test", tenant: "", version: "1.2", receivedAtMs: nowMs };
  const labels = { model: "gpt-5-mini", agent: "support" };
  const facts = { ...readSpanFacts(span, context, undefined, () => undefined), ...labels };
  await store.append([
    createPipelineSpan({ span, facts, context }, { isSampled: () => true, countsUsage: () => false }),
  ]);
  await store.stop();
  const reopened = await openStore(directory);
  expect(await reopened.evaluations(0, 10)).toMatchObject([{ span, context, labels }]);
});

it("keeps what cannot be saved for the next attempt, and warns once", async () => {
  nowMs = NOON_MS;
  const saved: ClosedStep[] = [];
  let failure: "throws" | "refuses" | undefined = "throws";
  const first = await process({
    statsSteps: async () => [],
    async putStatsSteps(steps) {
      if (failure === "throws") throw new Error("The disk is gone.");
      if (failure === "refuses") return false;
      saved.push(...steps);
      return true;
    },
  });
  await first.archived.restored;
  first.count("a");
  nowMs += 10_000;
  await expect.poll(() => first.lines.length, { timeout: 10_000 }).toBe(1);
  failure = "refuses";
  first.count("a");
  nowMs += 10_000;
  failure = undefined;
  await first.archived.stop(0);
  expect(saved.map(({ startSeconds }) => startSeconds)).toEqual([NOON_MS / 1000, NOON_MS / 1000 + 10]);
  expect(first.lines.map(({ message }) => message)).toEqual([
    expect.stringContaining("the statistics cannot be saved: The disk is gone."),
  ]);
});

it("saves nothing before the steps of earlier runs are restored: it would replace one that it continues", async () => {
  nowMs = NOON_MS;
  const put: number[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const started = await process({
    statsSteps: async () => {
      await answered;
      return [];
    },
    async putStatsSteps(steps) {
      put.push(steps.length);
      return true;
    },
  });
  started.count("a");
  nowMs += 10_000;
  const stopped = started.archived.stop(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(put).toEqual([]);
  answer();
  await stopped;
  expect(put).toEqual([1]);
});
