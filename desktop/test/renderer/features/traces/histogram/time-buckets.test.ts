import { describe, expect, it } from "vitest";
import type { ClippedHistogram } from "../../../../../src/renderer/store/clipped-histogram.js";
import {
  beyond,
  chosenRange,
  isBeyond,
  rangeBetween,
  sumOf,
  timeBuckets,
  withRange,
} from "../../../../../src/renderer/features/traces/histogram/time-buckets.js";
import { timeLabels } from "../../../../../src/renderer/features/traces/histogram/time-labels.js";

const START = Date.UTC(2026, 10, 21, 14);
const at = (minute: number): string => new Date(START + minute * 60_000).toISOString();
const histogram = (count: number): ClippedHistogram => ({
  older: 0,
  newer: 0,
  total: count,
  bucket_ms: 60_000,
  buckets: Array.from({ length: count }, (_, index) => ({ start: at(index), traces: 2, errors: 1 })),
});
const buckets = (count: number) => {
  const made = timeBuckets(histogram(count));
  if (made === undefined) throw new Error("There are buckets.");
  return made;
};

describe("the bars of the histogram", () => {
  it("are undefined if no trace matches", () => {
    expect(timeBuckets({ total: 0, bucket_ms: null, buckets: [], older: 0, newer: 0 })).toBeUndefined();
  });

  it("are at least sixty, with the time before shown empty", () => {
    const few = buckets(3);
    expect(few.bars).toHaveLength(60);
    expect(few.startMs).toBe(START - 57 * 60_000);
    expect(sumOf(few, { from: 0, to: 60 })).toEqual({ traces: 6, errors: 3 });
    expect(buckets(90).bars).toHaveLength(90);
  });
});

describe("a time that is chosen", () => {
  it("round-trips through the filters", () => {
    const range = { from: 10, to: 20 };
    const filters = withRange({ env: "test", since: "2020-01-01T00:00:00Z" }, buckets(90), range);
    expect(filters).toEqual({ env: "test", since: at(10), until: at(20) });
    expect(chosenRange(buckets(90), filters)).toEqual(range);
  });

  it("stays open where it reaches an end", () => {
    expect(withRange({}, buckets(90), { from: 80, to: 90 })).toEqual({ since: at(80) });
    expect(withRange({}, buckets(90), { from: 0, to: 90 })).toEqual({});
    expect(chosenRange(buckets(90), { since: at(80) })).toEqual({ from: 80, to: 90 });
  });

  it("leaves out traces that are too far away to be drawn, which can be chosen on their own", () => {
    const clipped = { ...buckets(90), older: 2, newer: 1 };
    expect(withRange({}, clipped, { from: 0, to: 90 })).toEqual({ since: at(0), until: at(90) });
    expect(beyond({ env: "test", since: at(3) }, clipped, "older")).toEqual({ env: "test", until: at(0) });
    expect(beyond({}, clipped, "newer")).toEqual({ since: at(90) });
    expect(isBeyond(clipped, { until: at(0) }, "older")).toBe(true);
    expect(isBeyond(clipped, { until: at(1) }, "older")).toBe(false);
    expect(isBeyond(clipped, { since: at(90) }, "newer")).toBe(true);
  });

  it("is limited to the histogram, even if it lies outside or is invalid", () => {
    expect(chosenRange(buckets(90), { since: at(-100), until: at(-50) })).toEqual({ from: 0, to: 1 });
    expect(chosenRange(buckets(90), { since: at(500) })).toEqual({ from: 89, to: 90 });
    expect(chosenRange(buckets(90), { since: "yesterday" })).toEqual({ from: 0, to: 90 });
  });

  it("can be drawn in both directions, with both bars included", () => {
    expect(rangeBetween(7, 3)).toEqual({ from: 3, to: 8 });
    expect(rangeBetween(3, 3)).toEqual({ from: 3, to: 4 });
  });
});

describe("the labels of the axis", () => {
  it("are at round times, apart from each other and inside", () => {
    const labels = timeLabels(buckets(120), 1368);
    expect(labels.length).toBeGreaterThan(4);
    expect(labels.map(({ text }) => text.endsWith("0") || text.endsWith("5"))).not.toContain(false);
    for (const [index, { at: place }] of labels.entries()) {
      expect(place).toBeGreaterThan(0);
      expect(place).toBeLessThan(1);
      const before = labels[index - 1];
      if (before !== undefined) expect((place - before.at) * 1368).toBeGreaterThanOrEqual(110);
    }
  });
});
