import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import type { LiveStatus } from "../../src/api-schema/live.js";
import type { LiveMetrics } from "../../src/api-schema/stats.js";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import type { PipelineSpan } from "../../src/span/pipeline-span.js";
import { createLiveHub } from "../../src/query/live-hub.js";
import { countTurns, everLater } from "../runtime/loop-turns.js";

const READERS = 100;
const STEPS = 20;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

type HubOptions = Parameters<typeof createLiveHub>[0];

/** A hub over what answers for the traces. */
function hubOf(options: Pick<HubOptions, "store"> & Partial<HubOptions>) {
  return createLiveHub({
    clock: everLater(),
    status: () => ({}) as LiveStatus,
    metrics: () => ({}) as LiveMetrics,
    evaluations: { within: () => [], newest: 0 },
    ...options,
  });
}

/** A hub in which one trace changes in each step, and another with each of them. */
async function createChangedHub() {
  let summaries = 0;
  const hub = hubOf({
    store: {
      summaries: async (keys) => {
        summaries += keys.length;
        return keys.map(({ traceId }) => ({ trace_id: traceId }) as TraceSummary);
      },
    },
  });
  await hub.start();
  for (let step = 1; step <= STEPS; step++) {
    hub.offer([changed(`t${step}`), changed("always")]);
    await vi.advanceTimersByTimeAsync(200);
  }
  return { hub, summaries: () => summaries };
}

const changed = (traceId: string): PipelineSpan =>
  ({ facts: { traceId }, context: { tenant: "" } }) as unknown as PipelineSpan;

function createReader() {
  let text = "";
  return {
    text: () => text,
    write: (written: string | Uint8Array) => void (text += Buffer.from(written).toString("utf8")),
    isBehind: () => false,
    isAllowed: () => true,
    end: () => undefined,
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

it("reads each trace once for all resuming readers and yields to the event loop", async () => {
  const { hub, summaries } = await createChangedHub();
  const first = createReader();
  hub.connect(first, undefined);
  const run = /id: (\w+)-/.exec(first.text())?.[1] ?? "";

  const readers = Array.from({ length: READERS }, createReader);
  for (const [index, reader] of readers.entries()) hub.connect(reader, `${run}-${index % STEPS}`);
  const turns = countTurns();
  vi.advanceTimersByTime(200);
  await until(() => readers.every((reader) => reader.text().includes(`id: ${run}-${STEPS}\n`)));
  expect(turns.end()).toBeGreaterThan(READERS);
  expect(summaries()).toBe(STEPS + 1);

  const missed = readers.map((reader) =>
    [...reader.text().matchAll(/"trace_id":"(\w+)"/g)].map(([, id]) => id),
  );
  for (const [index, ids] of missed.entries()) {
    const steps = Array.from({ length: STEPS - (index % STEPS) }, (_, at) => `t${(index % STEPS) + at + 1}`);
    expect(ids.toSorted()).toEqual([...steps, "always"].toSorted());
  }
  await hub.stop();
});

it("resets its readers when a rebuild ends, because their lists lack traces", async () => {
  let progress: number | null = 0.25;
  const hub = hubOf({
    store: { summaries: async () => [] },
    status: () => ({ store: { rebuild_progress: progress } }) as LiveStatus,
  });
  await hub.start();
  const reader = createReader();
  hub.connect(reader, undefined);
  await vi.advanceTimersByTimeAsync(2000);
  expect(reader.text()).toContain('"rebuild_progress":0.25');
  expect(reader.text()).not.toContain("event: reset");
  progress = null;
  await vi.advanceTimersByTimeAsync(2000);
  await until(() => reader.text().includes("event: reset"));
  const resets = reader.text().match(/event: reset/g);
  await vi.advanceTimersByTimeAsync(2000);
  expect(reader.text().match(/event: reset/g)).toEqual(resets);
  await hub.stop();
});

it("resets a reader whose update would be too large, and sends the traces to one that missed less", async () => {
  const hub = hubOf({
    store: {
      summaries: async (keys) =>
        keys.map(
          ({ traceId }) => ({ trace_id: traceId, output_preview: "é".repeat(40_000) }) as TraceSummary,
        ),
    },
  });
  await hub.start();
  const [early, late] = [createReader(), createReader()];
  hub.connect(early, undefined);
  early.isBehind = () => true;
  hub.offer(Array.from({ length: 100 }, (_, index) => changed(`t${index}`)));
  await vi.advanceTimersByTimeAsync(200);
  hub.connect(late, undefined);
  hub.offer([changed("last")]);
  early.isBehind = () => false;
  vi.advanceTimersByTime(200);
  await until(() => late.text().includes('"trace_id":"last"') && early.text().includes("event: reset"));
  expect(early.text()).toContain('data: {"reason":"burst"}');
  expect(early.text()).not.toContain("event: trace\n");
  expect(late.text()).not.toContain("event: reset");
  await hub.stop();
});

it("tells of a trace when the store says that it can be read, once the store answers", async () => {
  let isAway = true;
  const hub = hubOf({
    store: {
      summaries: async (keys) => {
        if (isAway) throw new ApiError("trace_store_unavailable", "away");
        return keys.map(({ traceId }) => ({ trace_id: traceId }) as TraceSummary);
      },
    },
  });
  await hub.start();
  const reader = createReader();
  hub.connect(reader, undefined);
  hub.changed([{ tenant: "", traceId: "written" }]);
  await vi.advanceTimersByTimeAsync(400);
  expect(reader.text()).not.toContain("event: trace");
  isAway = false;
  await vi.advanceTimersByTimeAsync(200);
  expect(reader.text()).toContain('data: {"trace_id":"written"}');
  await hub.stop();
});

it("makes room by ending a reader that is behind, then readers of texts, never a reader of all traces", async () => {
  const { hub } = await createChangedHub();
  const ended: string[] = [];
  const create = (name: string) => ({ ...createReader(), end: () => void ended.push(name) });
  const [behind, texts] = [create("behind"), create("texts")];
  hub.connectTexts(texts, "t");
  hub.connect(create("all"), undefined);
  hub.connect({ ...behind, isBehind: () => true }, undefined);
  expect([hub.makeRoom(), hub.makeRoom(), hub.makeRoom()]).toEqual([true, true, false]);
  expect(ended).toEqual(["behind", "texts"]);
  await hub.stop();
});

it("runs no timer while there are neither readers nor changes, so that an idle process sleeps", async () => {
  const { hub } = await createChangedHub();
  await vi.advanceTimersByTimeAsync(1000);
  expect(vi.getTimerCount()).toBe(0);
  hub.offer([changed("missed")]);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(vi.getTimerCount()).toBe(0);
  const reader = createReader();
  const disconnect = hub.connect(reader, undefined);
  hub.offer([changed("seen")]);
  await vi.advanceTimersByTimeAsync(200);
  await until(() => reader.text().includes('"trace_id":"seen"'));
  expect(reader.text()).not.toContain("missed");
  disconnect();
  await vi.advanceTimersByTimeAsync(1000);
  expect(vi.getTimerCount()).toBe(0);
  await hub.stop();
});
