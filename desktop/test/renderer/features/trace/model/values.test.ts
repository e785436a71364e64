import { describe, expect, it } from "vitest";
import { chunkText, jsonTokens } from "../../../../../src/renderer/features/trace/model/json-tokens.js";
import {
  inlineJson,
  isTruncated,
  truncatedBytes,
} from "../../../../../src/renderer/features/trace/model/values.js";

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

  it("colours JSON, and keeps any text complete", () => {
    const text = '{\n  "a\\"b": [1, -2.5e3, true, null, "x: 1"]\n}';
    const tokens = jsonTokens(text);
    expect(tokens.map((token) => token.text).join("")).toBe(text);
    expect(
      tokens.filter(({ kind }) => kind !== "" && kind !== "punctuation").map(({ kind }) => kind),
    ).toEqual(["key", "number", "number", "keyword", "keyword", "string"]);
    for (const odd of ['"unclosed', "plain text 42", "<script>", ""]) {
      expect(
        jsonTokens(odd)
          .map((token) => token.text)
          .join(""),
      ).toBe(odd);
    }
  });

  it("splits long texts at line ends, and never inside a character", () => {
    const lines = "line\n".repeat(10_000);
    expect(chunkText(lines).join("")).toBe(lines);
    expect(chunkText(lines).every((chunk) => chunk.endsWith("\n"))).toBe(true);
    const faces = "😀".repeat(9001);
    expect(chunkText(faces, 7).join("")).toBe(faces);
    expect(chunkText(faces, 7).every((chunk) => !/^[\uDC00-\uDFFF]/.test(chunk))).toBe(true);
  });
});
