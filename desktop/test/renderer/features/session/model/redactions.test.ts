import { expect, test } from "vitest";
import { redactionsIn } from "../../../../../src/renderer/features/session/model/redactions.js";

test("the marks of redaction are found in a text, and no other words in brackets", () => {
  const text = "Call [PHONE_NUMBER], [TODO] or [EMAIL][EMAIL]; not [email].";
  expect(redactionsIn(text).map(([start, end]) => text.slice(start, end))).toEqual([
    "[PHONE_NUMBER]",
    "[EMAIL]",
    "[EMAIL]",
  ]);
});
