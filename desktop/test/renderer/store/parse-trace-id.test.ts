import { expect, test } from "vitest";
import { parseTraceId } from "../../../src/renderer/store/parse-trace-id.js";

test("a text in the shape of an id is one, words are not", () => {
  expect(parseTraceId(" 4bf92f3577b34da6a3ce929d0e0e4736 ")).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
  expect(parseTraceId("0f8fad5b-d9cb-469f-a165-70867728950e")).toBeDefined();
  expect(parseTraceId("#t1")).toBe("t1");
  for (const text of ["", "#", "deadbeef", "refunds.process", "feed the cafe"]) {
    expect(parseTraceId(text)).toBeUndefined();
  }
});
