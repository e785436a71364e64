import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Admission, IngestQueue, PressureLevel } from "../../src/interfaces.js";
import { createMemoryQueue, type MemoryQueueOptions } from "../../src/queue/memory-queue.js";
import { createPressureLog } from "../../src/queue/pressure-log.js";
import { batch, LIMITS, numbers, takeNames } from "./contract/batches.js";
import { describeIngestQueue } from "./contract/describe-ingest-queue.js";

function queueOf(options: Partial<MemoryQueueOptions> = {}) {
  const levels: PressureLevel[] = [];
  const queue: IngestQueue = createMemoryQueue({
    ...LIMITS,
    onLevel: (level) => levels.push(level),
    ...options,
  });
  return { queue, levels };
}

describeIngestQueue("the memory queue", (limits) => ({
  queue: createMemoryQueue({ ...limits, onLevel: () => undefined }),
  waiting: async () => undefined,
}));

describe("the memory queue", () => {
  it("counts leased spans as in flight until the first ack", async () => {
    const { queue } = queueOf();
    await queue.offer(batch(0, 10));
    const lease = queue.take(4);
    expect(queue.usage()).toMatchObject({ spans: 6, inFlight: 4 });
    await lease.ack();
    await lease.ack();
    expect(queue.usage()).toMatchObject({ spans: 6, inFlight: 0 });
  });

  it("discards parsed spans under pressure and parses them again", async () => {
    const { queue } = queueOf({ capacityBytes: 64 * 1024 * 1024 });
    for (let first = 0; first < 12; first++) await queue.offer(batch(first, 1, 1024 * 1024));
    for (let first = 0; first < 12; first++) expect(await takeNames(queue, 100)).toEqual([first]);
    expect(queue.usage()).toMatchObject({ spans: 0, bytes: 0 });
  });

  it("limits a lease by bytes too, to one batch if the bodies are large", async () => {
    const { queue } = queueOf({ capacityBytes: 64 * 1024 * 1024 });
    await queue.offer(batch(0, 1, 5 * 1024 * 1024));
    await queue.offer(batch(1, 1, 5 * 1024 * 1024));
    await queue.offer(batch(2, 1));
    await queue.offer(batch(3, 1, 600 * 1024));
    await queue.offer(batch(4, 1, 600 * 1024));
    expect(await takeNames(queue, 256)).toEqual([0]);
    expect(await takeNames(queue, 256)).toEqual([1]);
    expect(await takeNames(queue, 256)).toEqual([2, 3]);
    expect(await takeNames(queue, 256)).toEqual([4]);
  });

  it("fills a lease up to its span limit if the bodies are of ordinary size", async () => {
    const { queue } = queueOf({ capacitySpans: 1000, capacityBytes: 64 * 1024 * 1024 });
    for (let first = 0; first < 500; first += 10) await queue.offer(batch(first, 10, 480));
    expect(await takeNames(queue, 256)).toEqual(numbers(0, 250));
    expect(await takeNames(queue, 256)).toEqual(numbers(250, 500));
    for (let first = 0; first < 300; first += 100) await queue.offer(batch(first, 100, 480));
    expect(await takeNames(queue, 256)).toEqual(numbers(0, 200));
  });

  it("returns the number of lost spans when it is abandoned", async () => {
    const { queue } = queueOf();
    await queue.offer(batch(0, 10));
    await takeNames(queue, 3);
    expect(await queue.abandon()).toBe(7);
    expect(queue.usage()).toMatchObject({ spans: 0, bytes: 0 });
  });
});

describe("spec 3.2: levels of the queue", () => {
  it("reaches the soft limit at exactly soft_limit_pct and drops nothing", async () => {
    const { queue, levels } = queueOf();
    await queue.offer(batch(0, 79));
    expect(levels).toEqual([]);
    expect(await queue.offer(batch(79, 1))).toEqual({ type: "accepted", evicted: 0 });
    expect(levels).toEqual(["soft_limit_reached"]);
    expect(queue.usage()).toMatchObject({ spans: 80, usagePct: 80, level: "soft_limit_reached" });
  });

  it("activates the hard limit at exactly hard_limit_pct, and lowers the level as soon as the usage is below a limit", async () => {
    const { queue, levels } = queueOf();
    await queue.offer(batch(0, 95));
    await takeNames(queue, 1);
    await takeNames(queue, 15);
    expect(levels).toEqual(["hard_limit_active", "soft_limit_reached", "normal"]);
  });

  it("measures usage by spans or by bytes, whichever is higher", async () => {
    const bytes = batch(0, 1, 1000).body.byteLength;
    const { queue } = queueOf({ capacityBytes: bytes * 4 });
    await queue.offer(batch(0, 1, 1000));
    expect(queue.usage().usagePct).toBe(25);
  });

  it("warns once per episode, which ends when the usage has stayed below the limit", () => {
    const warnings: string[] = [];
    let nowMs = 0;
    const log = createPressureLog({
      logger: { warning: (message) => warnings.push(message) },
      clock: { monotonic: () => nowMs },
      limits: { softLimitPct: 80, hardLimitPct: 95, mode: "reject" },
    });
    log("soft_limit_reached", 80);
    log("hard_limit_active", 95);
    for (let flutter = 0; flutter < 100; flutter++) {
      log("soft_limit_reached", 94);
      nowMs += 5;
      log("hard_limit_active", 95);
    }
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The ingestion queue has reached its soft limit of 80 %: .*No span is lost below 95 %/,
      ),
      expect.stringMatching(
        /^The ingestion queue has reached its hard limit of 95 %: new spans are rejected with 429/,
      ),
    ]);
    log("normal", 1);
    nowMs += 10_000;
    log("hard_limit_active", 96);
    expect(warnings).toHaveLength(4);
  });
});

describe("contract 2: admission in mode reject", () => {
  it("admits batches below the hard limit up to the capacity, and rejects a batch that does not fit", async () => {
    const { queue } = queueOf();
    await queue.offer(batch(0, 94));
    expect(await queue.offer(batch(94, 7))).toMatchObject({ type: "queue_full" });
    expect(await queue.offer(batch(94, 6))).toMatchObject({ type: "accepted" });
    expect(queue.usage().spans).toBe(100);
  });
});

describe("contract 2: admission in mode drop_oldest", () => {
  it("evicts single spans from the head, not whole batches, and keeps the newest", async () => {
    const { queue } = queueOf({ mode: "drop_oldest" });
    for (let first = 0; first < 95; first += 5) await queue.offer(batch(first, 5));
    expect(await queue.offer(batch(95, 3))).toEqual({ type: "accepted", evicted: 3 });
    expect(await takeNames(queue, 100)).toEqual(numbers(3, 98));
  });

  it("accepts a batch as large as the capacity, and rejects a larger one", async () => {
    const { queue } = queueOf({ mode: "drop_oldest" });
    await queue.offer(batch(0, 50));
    expect(await queue.offer(batch(50, 100))).toEqual({ type: "accepted", evicted: 50 });
    expect(await queue.offer(batch(0, 101))).toMatchObject({ type: "batch_too_large" });
  });

  it("makes room for bytes too", async () => {
    const size = batch(0, 1, 1000).body.byteLength;
    const { queue } = queueOf({ mode: "drop_oldest", capacityBytes: size * 10 });
    for (let first = 0; first < 50; first++) await queue.offer(batch(first, 1, 1000));
    expect(queue.usage().bytes).toBeLessThanOrEqual(size * 10);
    expect((await takeNames(queue, 100)).at(-1)).toBe(49);
  });
});

describe("the queue against a model", () => {
  it("never loses or duplicates a span, and never exceeds its capacity", async () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("offer" as const), count: fc.integer({ min: 0, max: 30 }) }),
      fc.record({
        type: fc.constant("take" as const),
        count: fc.integer({ min: 1, max: 20 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.constantFrom("reject" as const, "drop_oldest" as const),
        async (steps, mode) => {
          const { queue } = queueOf({ mode });
          let model: number[] = [];
          let next = 0;
          for (const { type, count } of steps) {
            if (type === "offer") {
              const admission: Admission = await queue.offer(batch(next, count));
              if (admission.type !== "accepted") continue;
              model = [...model, ...numbers(next, next + count)].slice(admission.evicted);
              next += count;
            } else {
              const lease = queue.take(count);
              const taken = lease.ranges.flatMap(({ batch: { spans }, from, to }) => spans.slice(from, to));
              expect(taken.length).toBeLessThanOrEqual(count);
              expect(taken.length > 0).toBe(model.length > 0);
              expect(taken.map(({ name }) => Number(name))).toEqual(model.slice(0, taken.length));
              await lease.ack();
              model = model.slice(taken.length);
            }
            expect(queue.usage()).toMatchObject({ spans: model.length, inFlight: 0 });
            expect(model.length).toBeLessThanOrEqual(100);
          }
        },
      ),
    );
  });
});
