import { describe, expect, it } from "vitest";
import { criticalPath } from "../../../../../src/renderer/features/trace/model/critical-path.js";
import { buildSpanTree } from "../../../../../src/renderer/features/trace/model/span-tree.js";
import { newSpan } from "../spans.js";

function pathOf(spans: Parameters<typeof buildSpanTree>[0], nowMs = 0): Record<string, [number, number][]> {
  const path = criticalPath(buildSpanTree(spans), nowMs);
  return Object.fromEntries(
    [...path].map(([id, segments]) => [id, segments.map(({ startMs, endMs }) => [startMs, endMs])]),
  );
}

describe("criticalPath", () => {
  it("is the root's own time while no child runs", () => {
    expect(pathOf([newSpan("root", null, 0, 100), newSpan("a", "root", 20, 30)])).toEqual({
      root: [
        [0, 20],
        [50, 100],
      ],
      a: [[20, 50]],
    });
  });

  it("follows the parallel child that ended last, then those that ended before it started", () => {
    const spans = [
      newSpan("root", null, 0, 100),
      newSpan("early", "root", 0, 30),
      newSpan("short", "root", 32, 20),
      newSpan("long", "root", 30, 70),
    ];
    expect(pathOf(spans)).toEqual({ early: [[0, 30]], long: [[30, 100]] });
  });

  it("leaves out spans that start after their parent ended, and cuts those that outlive it", () => {
    const spans = [
      newSpan("root", null, 0, 100),
      newSpan("late", "root", 150, 10),
      newSpan("over", "root", 60, 80),
      newSpan("after", "over", 120, 10),
    ];
    expect(pathOf(spans)).toEqual({ root: [[0, 60]], over: [[60, 100]] });
  });

  it("reaches the deepest span", () => {
    const spans = [newSpan("root", null, 0, 100), newSpan("a", "root", 10, 80), newSpan("b", "a", 20, 60)];
    expect(pathOf(spans)).toEqual({
      root: [
        [0, 10],
        [90, 100],
      ],
      a: [
        [10, 20],
        [80, 90],
      ],
      b: [[20, 80]],
    });
  });

  it("covers several roots one after the other", () => {
    expect(
      pathOf([newSpan("a", null, 0, 10), newSpan("b", null, 5, 10), newSpan("c", null, 12, 20)]),
    ).toEqual({
      a: [[0, 10]],
      c: [[12, 32]],
    });
  });

  it("ends running spans at the current time", () => {
    expect(pathOf([newSpan("root", null, 0, null), newSpan("a", "root", 10, null)], 50)).toEqual({
      root: [[0, 10]],
      a: [[10, 50]],
    });
  });

  it("terminates with children of zero length and equal times, and with thousands of them", () => {
    const many = Array.from({ length: 5000 }, (_, i) => newSpan(`s${i}`, "root", i % 3, 0));
    const before = performance.now();
    expect(Object.keys(pathOf([newSpan("root", null, 0, 3), ...many])).length).toBeGreaterThan(3);
    expect(performance.now() - before).toBeLessThan(500);
  });

  it("covers the root's time without gap or overlap", () => {
    const spans = [newSpan("root", null, 0, 1000)];
    for (let i = 1; i < 200; i++) {
      const parent = i < 5 ? "root" : `s${(i * 7) % (i - 1) || 1}`;
      spans.push(newSpan(`s${i}`, parent, (i * 37) % 900, (i * 53) % 400));
    }
    const segments = Object.values(pathOf(spans))
      .flat()
      .toSorted(([a], [b]) => a - b);
    expect(segments.reduce((sum, [start, end]) => sum + end - start, 0)).toBeCloseTo(1000, 6);
    expect(segments[0]?.[0]).toBe(0);
    expect(Math.max(...segments.map(([, end]) => end))).toBe(1000);
  });
});
