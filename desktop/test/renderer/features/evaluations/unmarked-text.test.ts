import { expect, test } from "vitest";
import { unmarked } from "../../../../src/renderer/features/evaluations/unmarked-text.js";

test("the signs of Markdown are left out, and other stars and signs stay", () => {
  expect(unmarked("## Answer\nIt is **late**: `ETA` is 2 * 3 = **6** days, #1.")).toBe(
    "Answer\nIt is late: ETA is 2 * 3 = 6 days, #1.",
  );
  expect(unmarked("** and ` alone")).toBe("** and ` alone");
});
