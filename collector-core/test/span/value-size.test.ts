import { describe, expect, it } from "vitest";
import { valueSize } from "../../src/span/value-size.js";

describe("the size of a value", () => {
  it.each([
    ["numbers", 1],
    ["booleans", true],
    ["nulls", null],
    ["empty texts", ""],
    ["empty objects", {}],
    ["empty arrays", []],
  ])("counts %s, which have no characters", (_what, item) => {
    const size = valueSize({ list: new Array<unknown>(1000).fill(item) });
    expect(size).toBeGreaterThanOrEqual(16_000);
    expect(size).toBeLessThan(40_000);
  });

  it("counts the characters of texts and keys", () => {
    expect(valueSize({ key: "x".repeat(1000) })).toBeGreaterThanOrEqual(1003);
    expect(valueSize({ ["k".repeat(1000)]: 1 })).toBeGreaterThanOrEqual(1000);
  });
});
