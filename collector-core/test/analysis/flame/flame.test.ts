import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NormalizedSpan } from "../../../src/api-schema/trace.js";
import { flameOf, type Flame, type FlameFrame } from "../../../src/analysis/flame/flame.js";
import { flameLayout } from "../../../src/analysis/flame/flame-layout.js";
import { MEASURES, type Measure } from "../../../src/analysis/flame/measured-spans.js";
import { GROUPINGS, whereItWent } from "../../../src/analysis/flame/where-it-went.js";
import { buildSpanTree } from "../../../src/analysis/span-tree.js";
import { capturedTraces } from "../captured-traces.js";
import { randomSpans } from "../random-trees.js";
import { newSpan } from "../spans.js";
import { randomRuns } from "../../random-runs.js";

const flame = (spans: readonly NormalizedSpan[], mergesRepeats = true, nowMs = 0): Flame =>
  flameOf(buildSpanTree(spans), { nowMs, mergesRepeats });

const shape = ({ frames }: Flame): string[] =>
  frames.map(
    ({ depth, name, nodes, total, own }) =>
      `${" ".repeat(depth)}${name} ×${nodes.length} ${total.time}/${own.time}`,
  );

const widths = (of: Flame, measure: Measure = "time", base?: FlameFrame): Record<string, number[]> =>
  Object.fromEntries(
    flameLayout(of, { measure, base, width: 100, minWidth: 1 }).boxes.map((box) => [
      box.frame.name,
      [box.left, box.width, box.ownWidth].map(Math.round),
    ]),
  );

const llm = { span_type: "llm" };

describe("flameOf", () => {
  it("merges spans of the same type and name inside the same frame", () => {
    const spans = [
      newSpan("root", null, 0, 100),
      newSpan("s1", "root", 0, 30, { name: "search" }),
      newSpan("p1", "s1", 0, 10, { name: "parse" }),
      newSpan("s2", "root", 40, 20, { name: "search" }),
      newSpan("p2", "s2", 45, 5, { name: "parse" }),
      newSpan("m", "root", 60, 10, { name: "search", span_type: "llm" }),
    ];
    expect(shape(flame(spans))).toEqual([
      "root ×1 100/40",
      " search ×2 50/35",
      "  parse ×2 15/15",
      " search ×1 10/10",
    ]);
    expect(shape(flame(spans, false))).toHaveLength(6);
    const { frameOf } = flame(spans);
    expect(frameOf.get("p2")).toBe(frameOf.get("p1"));
  });

  it("counts the time in which children overlap once, and not outside of their parent", () => {
    const spans = [
      newSpan("root", null, 0, 100),
      newSpan("a", "root", 10, 40),
      newSpan("b", "root", 30, 40),
      newSpan("late", "root", 90, 50),
    ];
    expect(shape(flame(spans))[0]).toBe("root ×1 100/30");
    // 30 + 40 + 40 + 50 of own time in 140: 20 more than the clock.
    expect(flame(spans)).toMatchObject({ wallMs: 140, own: { time: 160 } });
  });

  it("counts tokens and cost where they were used, and not at wrappers", () => {
    const used = { tokens_input: 100, tokens_output: 10, cost_usd: 0.5 };
    const spans = [
      newSpan("root", null, 0, 100, { span_type: "agent" }),
      newSpan("wrapper", "root", 0, 50, { ...llm, attributes: used }),
      newSpan("call", "wrapper", 0, 50, { ...llm, attributes: used }),
      newSpan("running", "root", 60, null, { ...llm, attributes: used }),
    ];
    const { total, frameOf } = flame(spans, true, 90);
    expect(total).toMatchObject({ tokens: 110, cost: 0.5 });
    expect(frameOf.get("wrapper")).toMatchObject({ own: { tokens: 0 }, total: { tokens: 110 } });
    expect(frameOf.get("running")).toMatchObject({ isRunning: true, total: { time: 30, tokens: 0 } });
  });

  it("leaves evaluations out, and keeps what runs inside of them", () => {
    const spans = [
      newSpan("root", null, 0, 100),
      newSpan("judge", "root", 200, 50, { span_type: "evaluation" }),
      newSpan("call", "judge", 210, 30, llm),
    ];
    expect(shape(flame(spans))).toEqual(["root ×1 100/100", " call ×1 30/30"]);
  });

  it("handles deep chains and many names without a call stack or a text that grows", () => {
    const chain = Array.from({ length: 5000 }, (_, i) =>
      newSpan(`s${i}`, i === 0 ? null : `s${i - 1}`, i, 10_000 - i),
    );
    expect(flame(chain).frames.at(-1)?.depth).toBe(4999);
    expect(
      flameLayout(flame(chain), { measure: "time", base: undefined, width: 800, minWidth: 1 }).depth,
    ).toBe(5000);
    const many = Array.from({ length: 20_000 }, (_, i) => newSpan(`t${i}`, "root", i, 1));
    const wide = flame([newSpan("root", null, 0, 20_000), ...many]);
    const { boxes, small } = flameLayout(wide, { measure: "time", base: undefined, width: 800, minWidth: 1 });
    expect(boxes).toHaveLength(1);
    expect(small).toEqual([expect.objectContaining({ count: 20_000, amount: 20_000, depth: 1, width: 800 })]);
  });
});

describe("flameLayout", () => {
  const spans = [
    newSpan("root", null, 0, 100),
    newSpan("a", "root", 0, 50),
    newSpan("b", "root", 25, 50),
    newSpan("c", "a", 0, 25),
  ];

  it("narrows siblings that ran at the same time together", () => {
    expect(widths(flame(spans))).toEqual({
      root: [0, 100, 25],
      a: [0, 38, 19],
      c: [0, 19, 19],
      b: [38, 38, 38],
    });
  });

  it("gives the frame that is zoomed to the full width, under those around it", () => {
    const of = flame(spans);
    expect(widths(of, "time", of.frameOf.get("a"))).toEqual({
      root: [0, 100, 0],
      a: [0, 100, 50],
      c: [0, 50, 50],
    });
  });

  it("draws frames that are too narrow as one", () => {
    const more = Array.from({ length: 300 }, (_, i) => newSpan(`n${i}`, "root", 80, 0.05));
    const { small } = flameLayout(flame([...spans, ...more]), {
      measure: "time",
      base: undefined,
      width: 800,
      minWidth: 1,
    });
    expect(small).toMatchObject([{ count: 300, depth: 1, first: { name: "n0" } }]);
  });

  it("has nothing to draw where nothing was used", () => {
    expect(flameLayout(flame(spans), { measure: "cost", base: undefined, width: 100, minWidth: 1 })).toEqual({
      boxes: [],
      small: [],
      depth: 0,
    });
  });
});

describe("whereItWent", () => {
  it("adds up what spans have by themselves", () => {
    const spans = [
      newSpan("root", null, 0, 100, { span_type: "agent", attributes: { agent: "support" } }),
      newSpan("a", "root", 0, 30, { ...llm, attributes: { model: "small", tokens_input: 7 } }),
      newSpan("b", "root", 40, 20, { span_type: "tool", status: "ERROR" }),
    ];
    const rows = GROUPINGS.map((by) =>
      whereItWent(flame(spans), by).map(
        ({ label, type, own, errors }) => `${label ?? "none"} ${type} ${own.time} ${own.tokens} ${errors}`,
      ),
    );
    expect(rows).toEqual([
      ["root agent 50 0 0", "a llm 30 7 0", "b tool 20 0 1"],
      ["support agent 100 7 1"],
      ["none task 70 0 1", "small llm 30 7 0"],
      ["agent agent 50 0 0", "llm llm 30 7 0", "tool tool 20 0 1"],
    ]);
  });
});

/** What holds for every flame. */
function expectConsistent(spans: readonly NormalizedSpan[], nowMs: number, mergesRepeats: boolean): void {
  const of = flame(spans, mergesRepeats, nowMs);
  const counted = spans.filter(({ span_type: type }) => type !== "evaluation");
  expect(of.frames.flatMap(({ nodes }) => nodes)).toHaveLength(counted.length);
  for (const measure of ["tokens", "cost"] as const) {
    for (const { own, total, children } of of.frames)
      expect(total[measure]).toBeCloseTo(
        children.reduce((sum, child) => sum + child.total[measure], own[measure]),
        6,
      );
    expect(of.total[measure]).toBeCloseTo(of.own[measure], 6);
  }
  for (const { own, total, children } of of.frames) {
    const inside = children.reduce((sum, child) => sum + child.total.time, 0);
    expect(own.time).toBeGreaterThanOrEqual(0);
    expect(own.time).toBeLessThanOrEqual(total.time + 1e-6);
    // Children may overlap or outlive their parent, so that they have more together than it has for them.
    expect(inside).toBeGreaterThanOrEqual(total.time - own.time - 1e-6);
  }
  for (const by of GROUPINGS) {
    const groups = whereItWent(of, by);
    for (const measure of MEASURES)
      expect(groups.reduce((sum, { own }) => sum + own[measure], 0)).toBeCloseTo(of.own[measure], 6);
    expect(groups.flatMap(({ nodes }) => nodes)).toHaveLength(counted.length);
  }
  for (const measure of MEASURES) expectTiled(of, measure);
}

/** The own part and the children fill a frame. */
function expectTiled(of: Flame, measure: Measure): void {
  const { boxes, small } = flameLayout(of, { measure, base: undefined, width: 1000, minWidth: 0 });
  const boxOf = new Map(boxes.map((box) => [box.frame, box]));
  expect(small).toEqual([]);
  const roots = boxes.filter(({ frame }) => frame.parent === undefined);
  if (of.total[measure] > 0) expect(roots.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1000, 6);
  for (const { frame, left, width, ownWidth } of boxes) {
    const children = frame.children.flatMap((child) => boxOf.get(child) ?? []);
    const inside = children.reduce((sum, child) => sum + child.width, 0);
    expect(inside + ownWidth).toBeCloseTo(width, 6);
    let at = left;
    for (const child of children) {
      expect(child.left).toBeCloseTo(at, 6);
      at += child.width;
    }
  }
}

describe("every flame", () => {
  it("has weights that add up, for any tree", () => {
    fc.assert(fc.property(randomSpans, fc.integer({ min: 0, max: 3000 }), fc.boolean(), expectConsistent), {
      numRuns: randomRuns(75),
    });
  });

  it.each(capturedTraces().map((trace) => [`${trace.name} ${trace.traceId.slice(0, 6)}`, trace] as const))(
    "has weights that add up, for %s",
    (_name, { spans }) => {
      expectConsistent(spans, 0, true);
      expectConsistent(spans, 0, false);
    },
  );
});
