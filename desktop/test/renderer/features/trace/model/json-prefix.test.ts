import { describe, expect, it } from "vitest";
import { indentJson, isJsonPrefix } from "../../../../../src/renderer/features/trace/model/json-prefix.js";

const VALUE = {
  "order id": 'A "quoted" \\ path\nand a line',
  items: [{ sku: "x-1", count: -2.5e-3 }, [], {}, [true, false, null]],
  note: "ü 日本",
};

describe("JSON that is cut", () => {
  it.each([0, 2])("is recognised wherever the cut is, indented by %d", (indent) => {
    const json = ` ${JSON.stringify(VALUE, null, indent)}`;
    for (let length = 8; length <= json.length; length++) {
      const cut = json.slice(0, length);
      expect([cut, isJsonPrefix(cut)]).toEqual([cut, true]);
    }
  });

  it.each([
    "[INFO] started",
    "[link](https://example.com)",
    "[x] done",
    "{name}, hello",
    "{ x: 1 }",
    "[1, 2] and more",
    '{"a": 1,, "b"',
    '{"a" 1',
    '["a" "b"',
    "{]",
    "[",
    "plain",
    "",
  ])("is not found in %j", (text) => {
    expect(isJsonPrefix(text)).toBe(false);
  });

  it("is examined in linear time", () => {
    const before = process.cpuUsage();
    expect(isJsonPrefix(`["${"\\\\".repeat(200_000)}`)).toBe(true);
    expect(isJsonPrefix("[".repeat(400_000))).toBe(true);
    expect(isJsonPrefix(`[${"1,".repeat(200_000)}`)).toBe(true);
    expect(isJsonPrefix(`["${"x".repeat(600_000)}`)).toBe(false);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });

  it("is indented like whole JSON", () => {
    const json = JSON.stringify(VALUE);
    const whole = JSON.stringify(VALUE, null, 2);
    for (let length = 3; length <= json.length; length++) {
      const indented = indentJson(json.slice(0, length));
      // A cut inside an empty object or array opens it.
      expect(whole.replaceAll(/\s/g, "").startsWith(indented.replaceAll(/\s/g, ""))).toBe(true);
    }
    expect(indentJson(json)).toBe(whole);
    expect(indentJson(whole)).toBe(whole);
    expect(indentJson('{"a":[1,{"b":"c, {d')).toBe('{\n  "a": [\n    1,\n    {\n      "b": "c, {d');
  });
});
