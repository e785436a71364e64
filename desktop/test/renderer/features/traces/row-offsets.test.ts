import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_PX, ROW_PX, rowOffsets } from "../../../../src/renderer/features/traces/row-offsets.js";

const offsets = fc
  .record({
    above: fc.nat(30_000),
    days: fc.uniqueArray(fc.nat(500), { maxLength: 40 }),
    index: fc.nat(500),
  })
  .map(({ above, days, index }) => ({
    above,
    index,
    all: rowOffsets(
      above,
      days.toSorted((a, b) => a - b),
    ),
  }));

describe("row offsets", () => {
  it("stack rows and days without a gap or an overlap", () => {
    fc.assert(
      fc.property(offsets, ({ above, index, all }) => {
        expect(all.topOf(0)).toBe(above * ROW_PX);
        expect(all.topOf(index + 1)).toBe(all.topOf(index) + all.heightOf(index));
        expect(all.heightOf(index)).toBe(all.startsDay(index) ? ROW_PX + DAY_PX : ROW_PX);
      }),
    );
  });

  it("find the row at every position", () => {
    fc.assert(
      fc.property(offsets, fc.double({ min: 0, max: 0.99, noNaN: true }), ({ index, all }, share) => {
        expect(all.indexAt(all.topOf(index) + share * all.heightOf(index))).toBe(index);
      }),
    );
    expect(rowOffsets(10, []).indexAt(5)).toBe(-1);
  });
});
