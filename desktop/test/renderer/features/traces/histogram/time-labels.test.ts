import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeLabels } from "../../../../../src/renderer/features/traces/histogram/time-labels.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function labels(startMs: number, wholeMs: number, width = 1200) {
  const bars = Array.from({ length: 120 }, () => ({ traces: 0, errors: 0 }));
  return timeLabels({ startMs, lengthMs: wholeMs / bars.length, bars, older: 0, newer: 0 }, width);
}

describe("the labels of the histogram", () => {
  it("are months with their year if the range is years", () => {
    const texts = labels(Date.UTC(1998, 5), 28 * 365 * DAY_MS).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts) expect(text).toMatch(/^[A-Z][a-z]+ (?:19|20)\d\d$/);
  });

  it("are days if the range is long", () => {
    const texts = labels(new Date(2026, 10, 1, 9).getTime(), 14 * DAY_MS).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(4);
    for (const text of texts) expect(text).toMatch(/^\d+ Nov$/);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it("name the day at midnight if the range is a few days", () => {
    const texts = labels(new Date(2026, 10, 1, 9).getTime(), 2 * DAY_MS).map(({ text }) => text);
    expect(texts).toContain("2 Nov");
    expect(texts).toContain("12:00");
    expect(texts).not.toContain("00:00");
  });

  it("are at local midnight also where a day is 23 or 25 hours long", () => {
    const startMs = new Date(2026, 2, 1, 9).getTime();
    for (const { at } of labels(startMs, 60 * DAY_MS))
      expect(new Date(Math.round(startMs + at * 60 * DAY_MS)).getHours()).toBe(0);
  });

  it("never overlap, and are never cut", () => {
    const range = fc.record({
      startMs: fc.integer({ min: Date.UTC(2020), max: Date.UTC(2030) }),
      wholeMs: fc.integer({ min: 60_000, max: 20_000 * DAY_MS }),
      width: fc.integer({ min: 200, max: 2500 }),
    });
    fc.assert(
      fc.property(range, ({ startMs, wholeMs, width }) => {
        const places = labels(startMs, wholeMs, width).map(({ at }) => at * width);
        for (const [index, place] of places.entries()) {
          expect(place).toBeGreaterThan(20);
          expect(place).toBeLessThan(width - 20);
          // An hour less or more, where the clock changes.
          if (index > 0) expect(place - (places[index - 1] ?? 0)).toBeGreaterThan(80);
        }
      }),
    );
  });
});
