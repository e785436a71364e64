import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { aSpan } from "../span-batches.js";
import { createHarness, type CreateStore } from "./harness.js";

/** The histogram (contract 3). */
export function describeHistogram(createStore: CreateStore): void {
  describe("histogram", () => {
    const harness = createHarness(createStore);
    const { append } = harness;

    const at = (second: number, fields: Partial<Span> = {}): Span =>
      aSpan({
        trace_id: `t${second} ${JSON.stringify(fields)}`,
        start_time: new Date(Date.UTC(2026, 0, 1, 12) + second * 1000).toISOString(),
        ...fields,
      });

    it("contract 3: counts traces by their start in buckets without a gap, errors apart", async () => {
      await append([at(0), at(1), at(1, { status: "ERROR" }), at(4.999)]);
      expect(await harness.store.histogram({ buckets: 5 })).toEqual({
        total: 4,
        bucket_ms: 1000,
        buckets: [
          { start: "2026-01-01T12:00:00.000Z", traces: 1, errors: 0 },
          { start: "2026-01-01T12:00:01.000Z", traces: 2, errors: 1 },
          { start: "2026-01-01T12:00:02.000Z", traces: 0, errors: 0 },
          { start: "2026-01-01T12:00:03.000Z", traces: 0, errors: 0 },
          { start: "2026-01-01T12:00:04.000Z", traces: 1, errors: 0 },
        ],
      });
    });

    it("takes the filters, and reaches from since to until where they are given", async () => {
      await append([at(0), at(30), at(90, { status: "ERROR" })]);
      const failed = await harness.store.histogram({ status: "ERROR" });
      expect(failed).toMatchObject({ total: 1, buckets: [{ traces: 1, errors: 1 }] });
      const range = await harness.store.histogram({
        since: "2026-01-01T12:00:20Z",
        until: "2026-01-01T12:01:20Z",
        buckets: 6,
      });
      expect(range.bucket_ms).toBe(10_000);
      expect(range.buckets.map(({ traces }) => traces)).toEqual([0, 1, 0, 0, 0, 0]);
      expect(range.buckets[0]?.start).toBe("2026-01-01T12:00:20.000Z");
    });

    it("keeps to the number of buckets, however long the time is", async () => {
      await append([at(0), at(61), at(7200), at(86_400 * 900)]);
      for (const buckets of [1, 2, 7, 60, 500]) {
        const histogram = await harness.store.histogram({ buckets });
        expect(histogram.buckets.length, String(buckets)).toBeLessThanOrEqual(buckets);
        expect(histogram.buckets.reduce((sum, { traces }) => sum + traces, 0)).toBe(4);
      }
    });

    it("has no bucket where there is no trace and no time was given", async () => {
      expect(await harness.store.histogram({})).toEqual({ total: 0, bucket_ms: null, buckets: [] });
      await append(at(0));
      const inverted = { since: "2026-01-02T00:00:00Z", until: "2026-01-01T00:00:00Z" };
      expect(await harness.store.histogram(inverted)).toEqual({ total: 0, bucket_ms: null, buckets: [] });
    });
  });
}
