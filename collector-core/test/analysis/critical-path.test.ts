import { describe, expect, it } from "vitest";
import { criticalPath } from "../../src/analysis/critical-path.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { newSpan } from "./spans.js";

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

  it("keeps a long child that overlaps the next one a little", () => {
    const spans = [
      newSpan("root", null, 0, 3000),
      newSpan("long", "root", 0, 2000),
      newSpan("next", "root", 1950, 1050),
    ];
    expect(pathOf(spans)).toEqual({ long: [[0, 1950]], next: [[1950, 3000]] });
  });

  it("follows the child that started last of those that run at a point", () => {
    const spans = [
      newSpan("root", null, 0, 100),
      newSpan("wide", "root", 0, 100),
      newSpan("late", "root", 60, 40),
      newSpan("inside", "root", 70, 20),
    ];
    expect(pathOf(spans)).toEqual({ wide: [[0, 60]], late: [[60, 100]] });
  });

  it("follows the parallel child that runs at the end, then those that ended before it started", () => {
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
      a: [[0, 5]],
      b: [[5, 12]],
      c: [[12, 32]],
    });
  });

  it("ends running spans at the current time", () => {
    expect(pathOf([newSpan("root", null, 0, null), newSpan("a", "root", 10, null)], 50)).toEqual({
      root: [[0, 10]],
      a: [[10, 50]],
    });
  });

  it("leaves out children that take no time, also thousands of them", () => {
    const many = Array.from({ length: 5000 }, (_, i) => newSpan(`s${i}`, "root", i % 3, 0));
    expect(pathOf([newSpan("root", null, 0, 3), ...many])).toEqual({ root: [[0, 3]] });
    expect(pathOf([newSpan("root", null, 7, 0)])).toEqual({});
  });

  it.each([1, 2, 3, 4, 5])("covers the root's time without gap or overlap, tree %d", (seed) => {
    const random = newRandom(seed);
    const spans = [newSpan("root", null, 0, 1000)];
    for (let i = 1; i < 200; i++) {
      const parent = i < 5 ? "root" : `s${1 + Math.floor(random() * (i - 1))}`;
      spans.push(newSpan(`s${i}`, parent, Math.floor(random() * 900), Math.floor(random() * 400)));
    }
    const segments = Object.values(pathOf(spans))
      .flat()
      .toSorted(([a], [b]) => a - b);
    let reached = 0;
    for (const [start, end] of segments) {
      expect(start).toBe(reached);
      reached = end;
    }
    expect(reached).toBe(1000);
  });
});

/** Numbers of 0 to 1 that are the same for the same seed. */
function newRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
