import { expect, test } from "vitest";
import { formatAgo } from "../../../../src/renderer/features/frame/palette-items.js";

test("past times are shown in one unit", () => {
  const minute = 60_000;
  expect([0, 3 * minute, 119 * minute, 72 * 60 * minute].map(formatAgo)).toEqual([
    "now",
    "3 min ago",
    "1 h ago",
    "3 d ago",
  ]);
});
