import type { Histogram } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { fetchClipped, type StartRange } from "../../../src/renderer/store/clipped-histogram.js";

const NOW = Date.UTC(2026, 10, 21, 14);
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const MAX_BUCKETS = 120;

/** Counts starts as the collector does. */
function collector(starts: readonly number[]) {
  const asked: StartRange[] = [];
  const fetch = async (range: StartRange): Promise<Histogram> => {
    asked.push(range);
    const since = Date.parse(range.since ?? "") || Math.min(...starts);
    const until = Date.parse(range.until ?? "") || Math.max(...starts) + 1;
    const inside = starts.filter((ms) => ms >= since && ms < until);
    const lengthMs = Math.max(1000, Math.ceil((until - since) / (MAX_BUCKETS - 1) / 1000) * 1000);
    const first = Math.floor(since / lengthMs);
    const buckets = Array.from({ length: Math.ceil(until / lengthMs) - first }, (_, index) => ({
      start: new Date((first + index) * lengthMs).toISOString(),
      traces: inside.filter((ms) => Math.floor(ms / lengthMs) === first + index).length,
      errors: 0,
    }));
    return { total: inside.length, bucket_ms: lengthMs, buckets };
  };
  return { fetch, asked };
}

/** A trace every ten seconds, up to now. */
const recent = Array.from({ length: 90 }, (_, index) => NOW - index * 10_000);

const countOf = ({ buckets }: Histogram): number => buckets.reduce((sum, { traces }) => sum + traces, 0);

describe("a histogram without outliers", () => {
  it("shows the traces of the last minutes in fine bars, with one of last year counted", async () => {
    const histogram = await fetchClipped(collector([...recent, NOW - 365 * DAY]).fetch, {});
    expect(histogram).toMatchObject({ older: 1, newer: 0 });
    expect(histogram.bucket_ms).toBeLessThanOrEqual(60_000);
    expect(countOf(histogram)).toBe(90);
    // Every trace is in a bar or counted beside them.
    expect(countOf(histogram) + histogram.older).toBe(91);
  });

  it("shows fine bars whatever part of the traces is in the first one", async () => {
    for (let index = 0; index < 30; index++) {
      const starts = recent.map((ms) => ms - index * 77_000);
      const histogram = await fetchClipped(collector([...starts, NOW - 400 * DAY]).fetch, {});
      expect(histogram.older).toBe(1);
      expect(histogram.bucket_ms).toBeLessThanOrEqual(60_000);
    }
  });

  it("leaves out traces on both sides, such as those of a wrong clock", async () => {
    const starts = [...recent, NOW - 9000 * DAY, NOW + 9000 * DAY];
    const histogram = await fetchClipped(collector(starts).fetch, {});
    expect(histogram).toMatchObject({ older: 1, newer: 1 });
    expect(countOf(histogram)).toBe(90);
  });

  it("asks once if all traces belong together", async () => {
    for (const starts of [
      recent,
      recent.slice(0, 3),
      [...recent, NOW - 16 * MINUTE],
      [NOW, NOW - 365 * DAY],
    ]) {
      const { fetch, asked } = collector(starts);
      expect(await fetchClipped(fetch, {})).toMatchObject({ older: 0, newer: 0 });
      expect(asked).toHaveLength(1);
    }
  });

  it("keeps many older traces, which are no outliers", async () => {
    const yesterday = Array.from({ length: 20 }, (_, index) => NOW - DAY - index * MINUTE);
    expect(await fetchClipped(collector([...recent, ...yesterday]).fetch, {})).toMatchObject({ older: 0 });
  });

  it("keeps the time that is chosen", async () => {
    const { fetch } = collector([...recent, NOW - 365 * DAY]);
    const since = new Date(NOW - 366 * DAY).toISOString();
    expect(await fetchClipped(fetch, { since })).toMatchObject({ older: 0 });
    const until = new Date(NOW - DAY).toISOString();
    expect(await fetchClipped(fetch, { until })).toMatchObject({ older: 1 });
  });
});
