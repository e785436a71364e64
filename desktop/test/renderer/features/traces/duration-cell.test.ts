import { describe, expect, it } from "vitest";
import { barScale } from "../../../../src/renderer/features/traces/duration-cell.js";

describe("barScale", () => {
  it("rounds up to a scale that fills at least three quarters of the longest bar", () => {
    expect([1, 1.1, 7, 1299, 14_820, 31_460, 99_999].map(barScale)).toEqual([
      1, 1.25, 8, 1500, 15_000, 40_000, 100_000,
    ]);
    for (let ms = 1; ms < 1e7; ms *= 1.07) {
      expect(ms / barScale(ms)).toBeLessThanOrEqual(1);
      expect(ms / barScale(ms)).toBeGreaterThan(0.75);
    }
  });
});
