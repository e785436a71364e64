import { describe, expect, it } from "vitest";
import { durationParts, formatCost, formatDuration, formatScore } from "../../src/renderer/format.js";

describe("figures", () => {
  it("formats any cost in at most six characters", () => {
    const written = [0, 0.00001, 0.0309, 21.74, 999.99, 999.999, 1234.56].map(formatCost);
    expect(written).toEqual(["$0", "<$0.0001", "$0.0309", "$21.74", "$999.99", "$1,000", "$1,235"]);
  });

  it("formats a duration in a natural unit", () => {
    const written = [0, 0.4, 460, 14_820, 184_000, 7_500_000].map((ms) => {
      const { value, unit } = formatDuration(ms);
      return `${value} ${unit}`;
    });
    expect(written).toEqual(["0 ms", "0.40 ms", "460 ms", "14.82 s", "3 m 04 s", "2 h 05 m"]);
  });

  it("gives each number of a duration its own unit", () => {
    expect([14_820, 94_000, 7_500_000].map(durationParts)).toEqual([
      [{ value: "14.82", unit: "s" }],
      [
        { value: "1", unit: "m" },
        { value: "34", unit: "s" },
      ],
      [
        { value: "2", unit: "h" },
        { value: "05", unit: "m" },
      ],
    ]);
  });

  it("formats a score without its zero", () => {
    expect([0.88, 1, 0].map(formatScore)).toEqual([".88", "1.0", ".00"]);
  });
});
