import { describe, expect, it } from "vitest";
import type { IngestQueue } from "../../../src/interfaces.js";
import type { QueueLimits } from "../../../src/queue/pressure.js";
import { batch, LIMITS, namesOf, numbers, takeNames } from "./batches.js";

/** A queue under test. */
export interface TestedQueue {
  readonly queue: IngestQueue;
  /** Resolves when this process can take that many spans. */
  waiting(spans: number): Promise<void>;
}

/** Creates an empty queue for one test. */
export type CreateQueue = (limits: QueueLimits) => TestedQueue | Promise<TestedQueue>;

/** What every {@link IngestQueue} does. */
export function describeIngestQueue(name: string, create: CreateQueue): void {
  const queueOf = (limits: Partial<QueueLimits> = {}) => create({ ...LIMITS, ...limits });

  describe(`${name}, as every ingestion queue`, () => {
    it("returns spans in order of arrival, across batches", async () => {
      const { queue, waiting } = await queueOf();
      for (const first of [0, 10, 20]) await queue.offer(batch(first, 10));
      await waiting(30);
      expect(await takeNames(queue, 20)).toEqual(numbers(0, 20));
      expect(await takeNames(queue, 100)).toEqual(numbers(20, 30));
      expect(await takeNames(queue, 100)).toEqual([]);
      expect(queue.usage()).toMatchObject({ spans: 0, bytes: 0, inFlight: 0, usagePct: 0, waiting: 0 });
    });

    it("splits only a batch that is larger than a lease", async () => {
      const { queue, waiting } = await queueOf();
      await queue.offer(batch(0, 10));
      await queue.offer(batch(10, 10));
      await waiting(20);
      const leases = [queue.take(15), queue.take(4), queue.take(100)];
      expect(leases.map(namesOf)).toEqual([numbers(0, 10), numbers(10, 14), numbers(14, 20)]);
      expect(await Promise.all(leases.map(async ({ ack }) => await ack()))).toEqual([10, 4, 6]);
    });

    it("has several leases in flight, which end in any order and once", async () => {
      const { queue, waiting } = await queueOf();
      await queue.offer(batch(0, 10));
      await queue.offer(batch(10, 10));
      await waiting(20);
      const [first, second] = [queue.take(10), queue.take(10)];
      expect(queue.usage()).toMatchObject({ spans: 0, inFlight: 20, waiting: 0 });
      expect(await second.ack()).toBe(10);
      expect(queue.usage()).toMatchObject({ spans: 0, inFlight: 10 });
      expect(await second.ack()).toBe(0);
      await second.nack();
      expect(await first.ack()).toBe(10);
      expect(queue.usage()).toMatchObject({ spans: 0, inFlight: 0, waiting: 0 });
    });

    it("hands out spans that were given back again, before newer ones, and says so", async () => {
      const { queue, waiting } = await queueOf();
      await queue.offer(batch(0, 10));
      await waiting(10);
      const lease = queue.take(10);
      expect(lease.deliveries).toBe(1);
      await queue.offer(batch(10, 5));
      await lease.nack();
      expect(await lease.ack()).toBe(0);
      await waiting(15);
      expect(queue.usage()).toMatchObject({ spans: 15, inFlight: 0 });
      const again = queue.take(10);
      expect(namesOf(again)).toEqual(numbers(0, 10));
      expect(again.deliveries).toBe(2);
      expect(await again.ack()).toBe(10);
      expect(await takeNames(queue, 10)).toEqual(numbers(10, 15));
      expect(queue.usage()).toMatchObject({ spans: 0, bytes: 0, inFlight: 0 });
    });

    it("notifies its listeners when spans can be taken", async () => {
      const { queue, waiting } = await queueOf();
      let arrivals = 0;
      queue.onArrival(() => arrivals++);
      await queue.offer(batch(0, 1));
      await waiting(1);
      expect(arrivals).toBeGreaterThan(0);
    });

    it("reports a batch larger than the capacity as too large, by spans and by bytes (contract 2)", async () => {
      const { queue } = await queueOf({ capacityBytes: 5000 });
      const size = { type: "batch_too_large", unit: "spans", size: 101, capacity: 100 };
      expect(await queue.offer(batch(0, 101))).toEqual(size);
      expect(await queue.offer(batch(0, 1, 6000))).toMatchObject({ type: "batch_too_large", unit: "bytes" });
    });

    it("rejects a batch at the hard limit, and one that does not fit (contract 2)", async () => {
      const { queue, waiting } = await queueOf();
      await queue.offer(batch(0, 94));
      expect(await queue.offer(batch(94, 7))).toMatchObject({ type: "queue_full" });
      expect(await queue.offer(batch(94, 1))).toEqual({ type: "accepted", evicted: 0 });
      expect(await queue.offer(batch(95, 1))).toEqual({ type: "queue_full", usagePct: 95, hardLimitPct: 95 });
      expect(queue.usage()).toMatchObject({ usagePct: 95, level: "hard_limit_active" });
      await waiting(95);
      await takeNames(queue, 95);
      expect(queue.usage()).toMatchObject({ usagePct: 0, level: "normal" });
      expect(await queue.offer(batch(95, 1))).toMatchObject({ type: "accepted" });
    });
  });
}
