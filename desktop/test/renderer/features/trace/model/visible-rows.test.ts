import { describe, expect, it } from "vitest";
import { buildSpanTree } from "@obspan/collector-core/analysis";
import {
  ancestorIds,
  failedSpans,
  nextInOrder,
  visibleRows,
} from "../../../../../src/renderer/features/trace/model/visible-rows.js";
import { newSpan } from "../spans.js";

describe("the visible rows of a tree", () => {
  const spans = [
    newSpan("root", null, 0, 100, { status: "ERROR", error_propagated: true }),
    newSpan("a", "root", 10, 20),
    newSpan("a1", "a", 12, 5, { status: "ERROR" }),
    newSpan("b", "root", 40, 20),
    newSpan("b1", "b", 41, 5, { status: "ERROR" }),
  ];
  const tree = buildSpanTree(spans);

  it("hides what is below a folded span", () => {
    expect(visibleRows(tree, new Set(["a"])).map(({ id }) => id)).toEqual(["root", "a", "b", "b1"]);
    expect(visibleRows(tree, new Set(["root", "a"])).map(({ id }) => id)).toEqual(["root"]);
  });

  it("returns the ancestors that hide a span", () => {
    expect(ancestorIds(tree.byId.get("a1"))).toEqual(["a", "root"]);
  });

  it("steps through the errors, wrapping around, without those from a child span", () => {
    const failed = failedSpans(tree);
    expect(failed.map(({ id }) => id)).toEqual(["a1", "b1"]);
    expect(nextInOrder(tree, failed, tree.byId.get("b"), 1)?.id).toBe("b1");
    expect(nextInOrder(tree, failed, tree.byId.get("b1"), 1)?.id).toBe("a1");
    expect(nextInOrder(tree, failed, tree.byId.get("a"), -1)?.id).toBe("b1");
    expect(nextInOrder(tree, [], tree.byId.get("a"), 1)).toBeUndefined();
  });
});
