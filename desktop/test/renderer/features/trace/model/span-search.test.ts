import { describe, expect, it } from "vitest";
import { buildSpanTree } from "@obspan/collector-core/analysis";
import { searchSpans } from "../../../../../src/renderer/features/trace/model/span-search.js";
import { newSpan } from "../spans.js";

describe("searchSpans", () => {
  it("searches names and attributes", () => {
    const tree = buildSpanTree([
      newSpan("a", null, 0, 1, { name: "Plan" }),
      newSpan("b", "a", 0, 1, { attributes: { output_text: "At the depot in Lyon" } }),
    ]);
    expect(searchSpans(tree, "plan").map(({ id }) => id)).toEqual(["a"]);
    expect(searchSpans(tree, "LYON").map(({ id }) => id)).toEqual(["b"]);
    expect(searchSpans(tree, "  ")).toEqual([]);
  });
});
