import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addMs,
  compareInstants,
  elapsedMs,
  formatInstant,
  parseTimestamp,
} from "../../src/span/timestamp.js";

function roundTrip(value: unknown): string | undefined {
  const instant = parseTimestamp(value);
  return instant === undefined ? undefined : formatInstant(instant);
}

describe("contract 1: times are RFC 3339 or epoch milliseconds, kept as integer nanoseconds", () => {
  it("parses the output of toISOString for every time from 1970 to 9999", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (epochMs) => {
        const text = new Date(epochMs).toISOString();
        expect(parseTimestamp(text)).toEqual({ epochMs, nanos: 0 });
        expect(roundTrip(text)).toBe(text);
      }),
    );
  });

  it("formats as many digits as needed", () => {
    expect(roundTrip("2026-11-21T05:57:56Z")).toBe("2026-11-21T05:57:56.000Z");
    expect(roundTrip("2026-11-21T05:57:56.1234Z")).toBe("2026-11-21T05:57:56.123400Z");
    expect(roundTrip("2026-11-21T05:57:56.123456789Z")).toBe("2026-11-21T05:57:56.123456789Z");
    expect(roundTrip("2026-11-21T05:57:56.1234567891234Z")).toBe("2026-11-21T05:57:56.123456789Z");
  });

  it("parses offsets, lower case and leap seconds", () => {
    expect(roundTrip("2026-11-21T07:57:56+02:00")).toBe("2026-11-21T05:57:56.000Z");
    expect(roundTrip("2026-11-21t05:57:56.5z")).toBe("2026-11-21T05:57:56.500Z");
    expect(roundTrip("2016-12-31T23:59:60Z")).toBe("2017-01-01T00:00:00.000Z");
    expect(roundTrip("2024-02-29T00:00:00.000Z")).toBe("2024-02-29T00:00:00.000Z");
  });

  it("parses decimal fractions of a millisecond exactly", () => {
    expect(parseTimestamp(1_732_170_000_000.25)).toEqual({ epochMs: 1_732_170_000_000, nanos: 250_000 });
    expect(parseTimestamp(0)).toEqual({ epochMs: 0, nanos: 0 });
    expect(parseTimestamp(0.000001)).toEqual({ epochMs: 0, nanos: 1 });
  });

  it("rejects invalid times", () => {
    const invalidTimes = [
      "",
      "yesterday",
      "2026-11-21",
      "2026-02-30T00:00:00.000Z",
      "2025-02-29T00:00:00.000Z",
      "2026-13-01T00:00:00.000Z",
      "2026-11-21T24:00:00.001Z",
      "2026-11-21T05:57:56",
      "2026-11-21T05:57:5x.123Z",
      "1969-12-31T23:59:59.999Z",
      -1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      253_402_300_800_000,
      true,
      null,
      {},
    ];
    for (const value of invalidTimes) expect(parseTimestamp(value), JSON.stringify(value)).toBeUndefined();
  });

  it("adds and measures to the nanosecond", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 2e12 }),
        fc.nat({ max: 999_999 }),
        fc.nat({ max: 1e9 }),
        (epochMs, nanos, micros) => {
          const start = { epochMs, nanos };
          const end = addMs(start, micros / 1000);
          expect(elapsedMs(start, end)).toBeCloseTo(micros / 1000, 6);
          expect(compareInstants(start, end)).toBeLessThanOrEqual(0);
          expect(addMs(end, -micros / 1000)).toEqual(start);
        },
      ),
    );
  });
});
