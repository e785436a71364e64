import { expect, test } from "vitest";
import { likelyTraceId } from "../../../src/renderer/store/likely-trace-id.js";

test("what looks like an id counts as one, words do not", () => {
  expect(likelyTraceId(" 4bf92f3577b34da6a3ce929d0e0e4736 ")).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
  expect(likelyTraceId("0f8fad5b-d9cb-469f-a165-70867728950e")).toBeDefined();
  expect(likelyTraceId("#t1")).toBe("t1");
  for (const text of ["", "#", "deadbeef", "refunds.process", "feed the cafe"]) {
    expect(likelyTraceId(text)).toBeUndefined();
  }
});
