import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberOf } from "../../src/analysis/attributes.js";
import { flameOf } from "../../src/analysis/flame/flame.js";
import { whereItWent } from "../../src/analysis/flame/where-it-went.js";
import { runGraph } from "../../src/analysis/graph/build-graph.js";
import { readRun } from "../../src/analysis/run.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { subtotalsOf } from "../../src/analysis/subtotals.js";
import { capturedTraces } from "./captured-traces.js";
import { newSpan } from "./spans.js";

const usage = (input: number, output: number, cost: number) => ({
  attributes: { tokens_input: input, tokens_output: output, cost_usd: cost },
});

describe("subtotals", () => {
  it("sum up everything below an agent, and the agents inside it", () => {
    const tree = buildSpanTree([
      newSpan("root", null, 0, 1000, { span_type: "agent" }),
      newSpan("call", "root", 0, 100, { span_type: "llm", ...usage(10, 1, 0.5) }),
      newSpan("search", "root", 100, 40, { span_type: "tool" }),
      newSpan("writer", "root", 200, 300, { span_type: "agent" }),
      newSpan("inner", "writer", 200, 200, { span_type: "llm", ...usage(20, 2, 0.25) }),
      newSpan("judged", "root", 900, 50, { span_type: "evaluation", ...usage(99, 99, 9) }),
    ]);
    const subtotals = subtotalsOf(tree, 0);
    expect(subtotals.get("root")).toEqual({
      modelCalls: 2,
      toolCalls: 1,
      modelMs: 300,
      toolMs: 40,
      tokensInput: 30,
      tokensOutput: 3,
      costUsd: 0.75,
      isComputed: false,
    });
    expect(subtotals.get("writer")).toMatchObject({ modelCalls: 1, toolCalls: 0, tokensInput: 20 });
    expect([...subtotals.keys()].toSorted()).toEqual(["root", "writer"]);
  });

  it("are computed if a cost below them is", () => {
    const priced = { span_type: "llm", cost_usd: 0.5, cost_source: "computed" as const };
    const tree = buildSpanTree([
      newSpan("root", null, 0, 1000, { span_type: "agent" }),
      newSpan("reported", "root", 0, 300, { span_type: "agent" }),
      newSpan("call", "reported", 0, 100, { span_type: "llm", ...usage(10, 1, 0.5) }),
      newSpan("priced", "root", 300, 300, { span_type: "agent" }),
      newSpan("other call", "priced", 300, 100, priced),
    ]);
    const marks = [...subtotalsOf(tree, 0)].map(([id, { isComputed }]) => [id, isComputed]);
    expect(Object.fromEntries(marks)).toEqual({ root: true, reported: false, priced: true });
    const flame = flameOf(tree, { nowMs: 0, mergesRepeats: true });
    const frames = flame.frames.map(({ name, isComputed }) => [name, isComputed]);
    expect(Object.fromEntries(frames)).toMatchObject({ root: true, reported: false, priced: true });
    expect(flame.isComputed).toBe(true);
    const groups = whereItWent(flame, "name").map(({ label, usage }) => [label, usage.isComputed]);
    expect(Object.fromEntries(groups)).toMatchObject({ root: false, call: false, "other call": true });
    const graph = runGraph(readRun(tree), 0);
    const nodes = graph.nodes.map(({ name, usage: { isComputed } }) => [name, isComputed]);
    expect(Object.fromEntries(nodes)).toMatchObject({ reported: false, priced: true });
    const edges = graph.edges.map(({ to, isComputed }) => [to, isComputed]);
    expect(Object.fromEntries(edges)).toMatchObject({ "agent reported": false, "agent priced": true });
  });

  it("count a wrapped call once, and the time of a tool that calls a model only as the model's", () => {
    const tree = buildSpanTree([
      newSpan("root", null, 0, 1000),
      newSpan("ask", "root", 0, 500, { span_type: "tool" }),
      newSpan("wrapper", "ask", 0, 400, { span_type: "llm", ...usage(10, 1, 1) }),
      newSpan("call", "wrapper", 0, null, { span_type: "llm", ...usage(10, 1, 1) }),
    ]);
    const subtotals = subtotalsOf(tree, 300);
    expect(subtotals.get("root")).toEqual({
      modelCalls: 1,
      toolCalls: 1,
      modelMs: 300,
      toolMs: 0,
      tokensInput: 10,
      tokensOutput: 1,
      costUsd: 1,
      isComputed: false,
    });
    expect(subtotals.has("call")).toBe(false);
  });

  it("of the roots come to what the spans say, in every capture", () => {
    for (const { name, spans } of capturedTraces()) {
      const tree = buildSpanTree(spans);
      const subtotals = subtotalsOf(tree, 0);
      const own = (node: (typeof tree.nodes)[number]): number => {
        const isWrapper =
          node.span.span_type === "llm" && node.children.some(({ span }) => span.span_type === "llm");
        return isWrapper ? 0 : (numberOf(node.span, "tokens_input") ?? 0);
      };
      const said = tree.nodes.reduce((sum, node) => sum + own(node), 0);
      const found = tree.roots.reduce(
        (sum, root) => sum + (subtotals.get(root.id)?.tokensInput ?? own(root)),
        0,
      );
      expect(found, name).toBe(said);
    }
  });

  it("have every call once, in any tree", () => {
    const parents = fc.array(fc.tuple(fc.nat(20), fc.constantFrom("llm", "tool", "agent", "task")), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(parents, (list) => {
        const spans = list.map(([parent, span_type], index) =>
          newSpan(`${index}`, index === 0 ? null : `${parent}`, index, 5, { span_type }),
        );
        const tree = buildSpanTree(spans);
        const subtotals = subtotalsOf(tree, 0);
        for (const { id, children } of tree.nodes) {
          const subtotal = subtotals.get(id);
          for (const child of children)
            expect(subtotals.get(child.id)?.toolCalls ?? 0).toBeLessThanOrEqual(subtotal?.toolCalls ?? 0);
        }
        const tools = tree.nodes.filter(({ span }) => span.span_type === "tool");
        const counted = tree.roots.reduce(
          (sum, { id, span }) => sum + (subtotals.get(id)?.toolCalls ?? (span.span_type === "tool" ? 1 : 0)),
          0,
        );
        expect(counted).toBe(tools.length);
      }),
    );
  });
});
