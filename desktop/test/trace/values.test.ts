import { describe, expect, it } from "vitest";
import { attributeRows } from "../../src/renderer/features/trace/model/attribute-rows.js";
import { chunkText, jsonTokens } from "../../src/renderer/features/trace/model/json-tokens.js";
import { searchSpans } from "../../src/renderer/features/trace/model/span-search.js";
import { buildSpanTree } from "../../src/renderer/features/trace/model/span-tree.js";
import { inlineJson, isTruncated, truncatedBytes } from "../../src/renderer/features/trace/model/values.js";
import {
  parseTraceSearch,
  tenantOf,
  traceIdOf,
  tracePath,
} from "../../src/renderer/features/trace/trace-address.js";
import { newSpan } from "./spans.js";

const CUT = { truncated: true, bytes: 9000, preview: "Once" };

describe("values", () => {
  it("tells a cut text from an object that only looks like one", () => {
    expect(isTruncated(CUT)).toBe(true);
    expect(isTruncated({ ...CUT, more: 1 })).toBe(false);
    expect(truncatedBytes({ a: [CUT, { b: CUT }], c: "x" })).toBe(18_000);
  });

  it("writes JSON in one line without touching what is in strings", () => {
    expect(inlineJson({ a: "{ x\n }", b: [1, CUT], c: {} })).toBe(
      '{"a": "{ x\\n }", "b": [1, "Once…"], "c": {}}',
    );
  });

  it("colours JSON, and comes through whole whatever it is given", () => {
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

  it("cuts long texts at line ends, and never inside of a character", () => {
    const lines = "line\n".repeat(10_000);
    expect(chunkText(lines).join("")).toBe(lines);
    expect(chunkText(lines).every((chunk) => chunk.endsWith("\n"))).toBe(true);
    const faces = "😀".repeat(9001);
    expect(chunkText(faces, 7).join("")).toBe(faces);
    expect(chunkText(faces, 7).every((chunk) => !/^[\uDC00-\uDFFF]/.test(chunk))).toBe(true);
  });
});

describe("attributeRows", () => {
  const attributes = { model: "gpt", "a key": { deep: [{ role: "user" }] }, empty: {}, text: CUT };

  it("shows the top, and what is inside of what is open", () => {
    expect(attributeRows(attributes, new Set(), "").map(({ path }) => path)).toEqual([
      "model",
      '["a key"]',
      "empty",
      "text",
    ]);
    const open = new Set(['["a key"]', '["a key"].deep']);
    expect(attributeRows(attributes, open, "").map(({ name, depth }) => [name, depth])).toEqual([
      ["model", 0],
      ["a key", 0],
      ["deep", 1],
      ["[0]", 2],
      ["empty", 0],
      ["text", 0],
    ]);
  });

  it("finds values wherever they are nested, by path or text", () => {
    const found = (query: string) => attributeRows(attributes, new Set(), query).map(({ name }) => name);
    expect(found("USER")).toEqual(['["a key"].deep[0].role']);
    expect(found("once")).toEqual(["text"]);
    expect(found("nothing like it")).toEqual([]);
  });
});

describe("searchSpans", () => {
  it("finds names and anything that a span carries", () => {
    const tree = buildSpanTree([
      newSpan("a", null, 0, 1, { name: "Plan" }),
      newSpan("b", "a", 0, 1, { attributes: { output_text: "At the depot in Lyon" } }),
    ]);
    expect(searchSpans(tree, "plan").map(({ id }) => id)).toEqual(["a"]);
    expect(searchSpans(tree, "LYON").map(({ id }) => id)).toEqual(["b"]);
    expect(searchSpans(tree, "  ")).toEqual([]);
  });
});

describe("the address", () => {
  it("comes back as it was written, with any ids", () => {
    const address = { spanId: "x&y=z", tab: "raw", view: "tree" } as const;
    for (const id of ["a/b?c#%2F d", ".", "..", "...", "%2e%2e", "by-id"])
      for (const tenant of ["", "a&b=c, ü"]) {
        // As a browser reads it.
        const url = new URL(tracePath({ traceId: id, tenant }, address), "http://localhost");
        expect(traceIdOf(url)).toBe(id);
        expect(parseTraceSearch(url.search)).toEqual(address);
        expect(tenantOf(url.search) ?? "").toBe(tenant);
      }
  });

  it("reads what it does not know as not said", () => {
    expect(parseTraceSearch("?tab=tools&view=flame&span=")).toEqual({
      spanId: undefined,
      tab: "messages",
      view: "timeline",
    });
  });
});
