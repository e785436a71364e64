import { describe, expect, it } from "vitest";
import {
  compact,
  shortCost,
  shortDuration,
  shortPercent,
} from "../../../../src/renderer/features/metrics/panel-text.js";

describe("the texts of an axis", () => {
  it("give a duration the unit of its size, and zero none", () => {
    expect([0, 600, 1200].map(shortDuration)).toEqual(["0", "600 ms", "1.2 s"]);
    expect([0, 25_000, 120_000].map(shortDuration)).toEqual(["0", "25 s", "2 m"]);
  });

  it("are short", () => {
    expect([0, 0.25, 47.24, 186_000].map(compact)).toEqual(["0", "0.25", "47.2", "186k"]);
    expect([0, 0.15, 0.3, 12_000].map(shortCost)).toEqual(["$0", "$0.15", "$0.30", "$12k"]);
    expect([0, 7.5].map(shortPercent)).toEqual(["0 %", "7.5 %"]);
  });
});
