import { expect, test } from "vitest";
import { clampNameWidth, nameWidthIn } from "../../../../src/renderer/features/trace/timeline/name-width.js";

test("names take a share of the timeline until a width is chosen, which leaves room for the bars", () => {
  expect([300, 800, 2000].map((width) => nameWidthIn(width, undefined))).toEqual([176, 275, 360]);
  expect(nameWidthIn(800, 500)).toBe(500);
  expect(nameWidthIn(500, 900)).toBe(340);
  expect(clampNameWidth(10, 800)).toBe(120);
  expect(clampNameWidth(300, 200)).toBe(120);
});
