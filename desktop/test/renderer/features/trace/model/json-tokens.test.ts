import { describe, expect, it } from "vitest";
import { chunkText, jsonTokens } from "../../../../../src/renderer/features/trace/model/json-tokens.js";

describe("texts of values", () => {
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
