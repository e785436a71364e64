import { describe, expect, it } from "vitest";
import { moveTarget } from "../../../../src/renderer/features/traces/use-list-keys.js";

describe("moveTarget", () => {
  const state = { rowCount: 100, activeIndex: 10, rowsPerPage: () => 20 };
  it.each([
    ["ArrowDown", 11],
    ["ArrowUp", 9],
    ["PageDown", 30],
    ["PageUp", 0],
    ["Home", 0],
    ["End", 99],
    ["a", undefined],
  ])("%s goes to %s", (key, target) => expect(moveTarget(key, state)).toBe(target));

  it("starts at the top and stops at the ends", () => {
    expect(moveTarget("ArrowDown", { ...state, activeIndex: -1 })).toBe(0);
    expect(moveTarget("ArrowUp", { ...state, activeIndex: -1 })).toBe(0);
    expect(moveTarget("ArrowDown", { ...state, activeIndex: 99 })).toBe(99);
    expect(moveTarget("End", { ...state, rowCount: 0 })).toBeUndefined();
  });
});
