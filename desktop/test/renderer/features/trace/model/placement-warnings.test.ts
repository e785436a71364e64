import { describe, expect, it } from "vitest";
import { buildSpanTree, type SpanNode } from "@obspan/collector-core/analysis";
import type { NormalizedSpan } from "@obspan/collector-core/api-schema";
import {
  lacksParent,
  placementWarnings,
} from "../../../../../src/renderer/features/trace/model/placement-warnings.js";
import { newSpan } from "../spans.js";

function nodeOf(id: string, spans: readonly NormalizedSpan[]): SpanNode {
  const node = buildSpanTree(spans).byId.get(id);
  if (node === undefined) throw new Error(`no span ${id}`);
  return node;
}

describe("placementWarnings", () => {
  it("names a parent that is not in the trace, and warns of no root and no span that is its own parent", () => {
    const orphan = nodeOf("a", [newSpan("a", "gone", 0, 10)]);
    expect(lacksParent(orphan)).toBe(true);
    expect(placementWarnings(orphan)).toEqual(["Its parent gone is not in this trace."]);
    expect(lacksParent(nodeOf("a", [newSpan("a", null, 0, 10)]))).toBe(false);
    expect(lacksParent(nodeOf("a", [newSpan("a", "a", 0, 10)]))).toBe(false);
  });

  it("warns of a span that starts before its parent or after its end, by more than a normal clock difference", () => {
    const parent = newSpan("p", null, 5000, 1000);
    const at = (startMs: number) => {
      const spans = [parent, newSpan("c", "p", startMs, 10)];
      return placementWarnings(nodeOf("c", startMs < 5000 ? spans.toReversed() : spans));
    };
    expect(at(0)).toEqual(["It starts 5.00 s before its parent: their clocks may differ."]);
    expect(at(9000)).toEqual(["It starts 3.00 s after its parent ended."]);
    expect(at(4999.5)).toEqual([]);
    expect(at(5500)).toEqual([]);
  });

  it("does not warn about the end of a parent that still runs", () => {
    expect(
      placementWarnings(nodeOf("c", [newSpan("p", null, 0, null), newSpan("c", "p", 90_000, 10)])),
    ).toEqual([]);
  });
});
