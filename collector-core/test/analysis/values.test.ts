import { describe, expect, it } from "vitest";
import { inlineJson, isTruncated, truncatedBytes } from "../../src/analysis/values.js";

const CUT = { truncated: true, bytes: 9000, preview: "Once" };

describe("values", () => {
  it("distinguishes a truncated text from an object that looks like one", () => {
    expect(isTruncated(CUT)).toBe(true);
    expect(isTruncated({ ...CUT, more: 1 })).toBe(false);
    expect(truncatedBytes({ a: [CUT, { b: CUT }], c: "x" })).toBe(18_000);
  });

  it("adds up the truncated texts of a value nested far deeper than the call stack", () => {
    const deep = JSON.parse(`${"[".repeat(200_000)}${JSON.stringify(CUT)}${"]".repeat(200_000)}`) as unknown;
    expect(truncatedBytes([deep, CUT])).toBe(18_000);
  });

  it("formats JSON on one line without changing strings", () => {
    expect(inlineJson({ a: "{ x\n }", b: [1, CUT], c: {} })).toBe(
      '{"a": "{ x\\n }", "b": [1, "Once…"], "c": {}}',
    );
  });
});
