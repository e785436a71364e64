import { describe, expect, it } from "vitest";
import { millisecondsBetween } from "../../src/analysis/instant.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { newSpan } from "./spans.js";

const shape = (spans: Parameters<typeof buildSpanTree>[0]) =>
  buildSpanTree(spans).nodes.map(({ id, depth }) => `${" ".repeat(depth)}${id}`);

describe("buildSpanTree", () => {
  it("puts children under their parents, in order of start", () => {
    const spans = [newSpan("root", null, 0, 100), newSpan("a", "root", 10, 20), newSpan("b", "root", 40, 20)];
    expect(shape([...spans, newSpan("a1", "a", 45, 5)])).toEqual(["root", " a", "  a1", " b"]);
  });

  it("makes a span a root if its parent is missing or itself", () => {
    expect(shape([newSpan("a", "gone", 0, 1), newSpan("b", "b", 1, 1), newSpan("c", "b", 2, 1)])).toEqual([
      "a",
      "b",
      " c",
    ]);
  });

  it("breaks cycles of parents and loses no span", () => {
    const ring = [newSpan("a", "c", 0, 1), newSpan("b", "a", 1, 1), newSpan("c", "b", 2, 1)];
    expect(shape([...ring, newSpan("d", "c", 3, 1)])).toEqual(["a", " b", "  c", "   d"]);
    expect(
      shape([newSpan("tail", "x", 0, 1), newSpan("x", "y", 1, 1), newSpan("y", "x", 2, 1)]),
    ).toHaveLength(3);
  });

  it("keeps spans without parents as a flat list in order of arrival", () => {
    expect(shape([newSpan("b", null, 0, 1), newSpan("a", null, 0, 1)])).toEqual(["b", "a"]);
  });

  it("handles deep chains and thousands of spans quickly", () => {
    const chain = Array.from({ length: 5000 }, (_, i) =>
      newSpan(`s${i}`, i === 0 ? null : `s${i - 1}`, i, 1),
    );
    const before = process.cpuUsage();
    expect(buildSpanTree(chain).nodes.at(-1)?.depth).toBe(4999);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });

  it("sets positions among siblings, and the end of a trace with running spans", () => {
    const tree = buildSpanTree([
      newSpan("root", null, 0, null),
      newSpan("a", "root", 5, 3),
      newSpan("b", "root", 90, null),
    ]);
    expect(tree.byId.get("b")).toMatchObject({ position: 2, siblings: 2, endMs: undefined });
    expect(tree).toMatchObject({ endMs: 90, isRunning: true });
  });

  it("measures offsets to the nanosecond", () => {
    expect(millisecondsBetween("2026-11-21T14:32:20.118Z", "2026-11-21T14:32:20.118456789Z")).toBe(0.456789);
    expect(millisecondsBetween("2026-11-21T14:32:20Z", "2026-11-21T15:32:21.5+01:00")).toBe(1500);
    expect(millisecondsBetween("2026-11-21T14:32:20Z", "soon")).toBeUndefined();
  });
});
