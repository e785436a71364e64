import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Evaluation } from "../../src/api-schema/evaluations.js";
import type { LiveStatus } from "../../src/api-schema/live.js";
import type { LiveMetrics } from "../../src/api-schema/stats.js";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import type { Clock } from "../../src/runtime/clock.js";
import type { PipelineSpan } from "../../src/span/pipeline-span.js";
import { createLiveHub } from "../../src/query/live-hub.js";
import { TimeSlice } from "../../src/runtime/time-slice.js";
import { everLater } from "../runtime/loop-turns.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A hub beside a list of evaluations that ended. */
async function createHub(
  beforeSummary: () => Promise<void> = () => Promise.resolve(),
  clock: Pick<Clock, "monotonic"> = everLater(),
) {
  const ended: Evaluation[] = [];
  let statuses = 0;
  const hub = createLiveHub({
    store: {
      summaries: async (keys) => {
        await beforeSummary();
        return keys.map(({ traceId }) => ({ trace_id: traceId }) as TraceSummary);
      },
    },
    clock,
    status: () => ({ spans_per_second: ++statuses }) as LiveStatus,
    metrics: () => ({}) as LiveMetrics,
    evaluations: {
      within({ after, upTo, tenant }, max) {
        const found = ended.slice(after, upTo).filter((each) => (tenant ?? each.tenant) === each.tenant);
        return found.length > max ? undefined : found;
      },
      get newest() {
        return ended.length;
      },
    },
  });
  await hub.start();
  return {
    hub,
    change: (tenant: string, traceId: string) =>
      hub.offer([{ facts: { traceId }, context: { tenant } } as unknown as PipelineSpan]),
    evaluate: (tenant: string, count = 1) => {
      for (let number = 0; number < count; number++)
        ended.push({ tenant, trace_id: `${tenant}-${ended.length + 1}` } as Evaluation);
    },
  };
}

function createReader(tenant?: string) {
  let text = "";
  return {
    tenant,
    text: () => text,
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1],
    told: (event: string) =>
      [...text.matchAll(new RegExp(`^event: ${event}\\n(?:id: .*\\n)?data: (.*)$`, "gm"))].map(
        ([, data = "null"]) => JSON.parse(data) as Record<string, unknown>,
      ),
    write: (written: string | Uint8Array) => void (text += Buffer.from(written).toString("utf8")),
    isBehind: () => false,
    isAllowed: () => true,
    end: () => undefined,
  };
}

const step = () => vi.advanceTimersByTimeAsync(200);

/** Lets rounds that wait for turns of the event loop come to their end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

it("advances the position of a tenant's reader while only other tenants change", async () => {
  const { hub, change } = await createHub();
  const reader = createReader("a");
  const leave = hub.connect(reader, undefined);
  for (let number = 0; number < 310; number++) {
    change("b", `t${number}`);
    await step();
  }
  leave();
  change("a", "missed");
  const again = createReader("a");
  hub.connect(again, reader.lastId());
  await step();
  await settle();
  expect(again.told("reset")).toEqual([]);
  expect(again.told("trace")).toEqual([{ trace_id: "missed" }]);
  await hub.stop();
});

it("sends no evaluation twice to a reader that reconnects", async () => {
  const { hub, change, evaluate } = await createHub();
  const reader = createReader("a");
  const leave = hub.connect(reader, undefined);
  evaluate("a");
  change("b", "t1");
  await step();
  await settle();
  leave();
  const again = createReader("a");
  hub.connect(again, reader.lastId());
  change("b", "t2");
  await step();
  await settle();
  expect([...reader.told("evaluation"), ...again.told("evaluation")]).toHaveLength(1);
  await hub.stop();
});

it("sends an evaluation that ends during a step once, with the next step", async () => {
  const during: (() => void)[] = [];
  const { hub, change, evaluate } = await createHub(async () => during.pop()?.());
  const reader = createReader("a");
  hub.connect(reader, undefined);
  during.push(() => evaluate("a"));
  change("a", "t1");
  await step();
  await settle();
  const idBefore = reader.lastId();
  expect(reader.told("evaluation")).toEqual([]);
  await step();
  await settle();
  expect(reader.told("evaluation")).toHaveLength(1);
  const again = createReader("a");
  hub.connect(again, reader.lastId());
  const early = createReader("a");
  hub.connect(early, idBefore);
  change("a", "t2");
  await step();
  await settle();
  expect(again.told("evaluation")).toEqual([]);
  expect(early.told("evaluation")).toHaveLength(1);
  await hub.stop();
});

it("does not reset a reader because of evaluations of other tenants", async () => {
  const { hub, change, evaluate } = await createHub();
  const [own, every] = [createReader("a"), createReader()];
  hub.connect(own, undefined);
  hub.connect(every, undefined);
  evaluate("b", 60);
  evaluate("a");
  change("a", "t1");
  await step();
  await settle();
  expect(own.told("reset")).toEqual([]);
  expect(own.told("evaluation")).toEqual([{ tenant: "a", trace_id: "a-61" }]);
  expect(every.told("reset")).toEqual([{ reason: "burst" }]);
  await hub.stop();
});

it("sends no older status after a newer one, even when a round takes long", async () => {
  let nowMs = 0;
  const clock = { monotonic: () => nowMs };
  const { hub } = await createHub(undefined, clock);
  const readers = Array.from({ length: 3 }, () => createReader());
  for (const reader of readers) hub.connect(reader, undefined);
  await settle();
  // The slice of the round is over after its first write, and other work waits for a slice.
  const others = Array.from({ length: 5 }, () => new TimeSlice(clock).next());
  vi.advanceTimersByTime(999);
  const write = readers[0]?.write;
  Object.assign(readers[0] ?? {}, {
    write(text: string) {
      nowMs += 10;
      write?.(text);
    },
  });
  vi.advanceTimersByTime(1);
  Object.assign(readers[0] ?? {}, { write });
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(1000);
  await Promise.all(others);
  await settle();
  for (const reader of readers) {
    const statuses = reader.told("status").map((each) => Number(each["spans_per_second"]));
    expect(statuses.length).toBeGreaterThan(1);
    expect(statuses).toEqual(statuses.toSorted((one, other) => one - other));
  }
  await hub.stop();
});

it("sends a tenant's reader its changes while another tenant has a burst", async () => {
  const { hub, change } = await createHub();
  const [ofA, ofB, ofAll] = [createReader("a"), createReader("b"), createReader()];
  for (const reader of [ofA, ofB, ofAll]) hub.connect(reader, undefined);
  change("a", "a1");
  for (let index = 0; index < 300; index++) change("b", `b${index}`);
  change("a", "a2");
  await step();
  await vi.waitUntil(() => [ofA, ofB, ofAll].every((reader) => reader.lastId()?.endsWith("-1") === true), {
    timeout: 30_000,
  });
  expect(ofA.told("trace").map(({ trace_id }) => trace_id)).toEqual(["a1", "a2"]);
  expect(ofA.told("reset")).toEqual([]);
  for (const reader of [ofB, ofAll]) expect(reader.told("reset")).toEqual([{ reason: "burst" }]);
  await hub.stop();
});
