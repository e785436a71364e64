import { describe, expect, it } from "vitest";
import { attributeRows } from "../../../../../src/renderer/features/trace/model/attribute-rows.js";

const CUT = { truncated: true, bytes: 9000, preview: "Once" };

describe("attributeRows", () => {
  const attributes = { model: "gpt", "a key": { deep: [{ role: "user" }] }, empty: {}, text: CUT };

  it("shows the top level and the contents of open rows", () => {
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

  it("finds values at any depth, by path or text", () => {
    const found = (query: string) => attributeRows(attributes, new Set(), query).map(({ name }) => name);
    expect(found("USER")).toEqual(['["a key"].deep[0].role']);
    expect(found("once")).toEqual(["text"]);
    expect(found("nothing like it")).toEqual([]);
  });
});
