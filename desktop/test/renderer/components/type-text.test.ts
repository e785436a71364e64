import { expect, test } from "vitest";
import { directedTypeText, typeText } from "../../../src/renderer/components/type-text.js";

test("a type of evaluation reads as words, with the letters of acronyms and the names of users as they are", () => {
  expect(["instruction_following", "pii_leak", "valid_json", "regex:order_id"].map(typeText)).toEqual([
    "instruction following",
    "PII leak",
    "valid JSON",
    "regex:order_id",
  ]);
  expect(directedTypeText("pii_leak", "minimize")).toBe("PII leak\u00a0↓");
});
