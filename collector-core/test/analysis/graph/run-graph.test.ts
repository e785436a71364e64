import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NormalizedSpan } from "../../../src/api-schema/trace.js";
import { runGraph } from "../../../src/analysis/graph/build-graph.js";
import { foldGraph } from "../../../src/analysis/graph/fold-graph.js";
import { backEdges, isCaller, layersOf } from "../../../src/analysis/graph/graph-layers.js";
import type { RunGraph } from "../../../src/analysis/graph/run-graph.js";
import { readRun, type Run } from "../../../src/analysis/run.js";
import { buildSpanTree, type SpanNode } from "../../../src/analysis/span-tree.js";
import { capturedTraces } from "../captured-traces.js";
import { randomSpans } from "../random-trees.js";
import { newSpan } from "../spans.js";
import { randomRuns } from "../../random-runs.js";

const LIMITS = { foldServersAbove: 40, most: 60 };
const NONE = new Set<string>();

const graphOf = (spans: readonly NormalizedSpan[], nowMs = 0): RunGraph =>
  runGraph(readRun(buildSpanTree(spans)), nowMs);

const edgesOf = ({ nodes, edges }: RunGraph): string[] => {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  return edges.map(
    ({ from, to, count, totalMs }) => `${names.get(from)} → ${names.get(to)} ×${count} ${totalMs}`,
  );
};

const agent = (
  id: string,
  parent: string | null,
  startMs: number,
  durationMs: number | null,
): NormalizedSpan =>
  newSpan(id, parent, startMs, durationMs, {
    span_type: "agent",
    attributes: { agent: id.replace(/[0-9]/g, "") },
  });
const model = (id: string, parent: string, startMs: number, name: string): NormalizedSpan =>
  newSpan(id, parent, startMs, 10, {
    span_type: "llm",
    attributes: { model: name, provider: "anthropic", tokens_input: 100, cost_usd: 0.01 },
  });
const tool = (id: string, parent: string, startMs: number, name: string, more: object = {}): NormalizedSpan =>
  newSpan(id, parent, startMs, 10, {
    name,
    span_type: "tool",
    attributes: { input_text: `{"n":"${id}"}`, ...more },
  });

describe("runGraph", () => {
  it("connects agents with the models and tools that they call themselves", () => {
    const graph = graphOf([
      agent("support", null, 0, 200),
      model("m1", "support", 0, "sonnet"),
      tool("t1", "support", 20, "get_order"),
      agent("refunds", "support", 40, 60),
      model("m2", "refunds", 40, "sonnet"),
      tool("t2", "refunds", 60, "refund"),
      model("m3", "support", 110, "haiku"),
    ]);
    expect(edgesOf(graph)).toEqual([
      "support → refunds ×1 60",
      "support → sonnet ×1 10",
      "support → get_order ×1 10",
      "refunds → sonnet ×1 10",
      "refunds → refund ×1 10",
      "support → haiku ×1 10",
    ]);
    const support = graph.nodes.find(({ name }) => name === "support");
    expect(support).toMatchObject({ kind: "agent", count: 1, totalMs: 200, modelCalls: 2 });
    expect(support?.usage.costUsd).toBeCloseTo(0.02);
    expect(graph.nodes.find(({ name }) => name === "sonnet")).toMatchObject({ count: 2, note: "anthropic" });
    expect(graph.loops).toEqual([]);
  });

  it("adds up on the edge to an agent what is spent inside of it, and knows who starts it again", () => {
    const graph = graphOf([
      agent("support", null, 0, 400),
      agent("refunds", "support", 40, 60),
      model("m2", "refunds", 40, "sonnet"),
      agent("policy", "refunds", 60, 20),
      model("m3", "policy", 60, "haiku"),
      agent("refunds2", "support", 200, 60),
      model("m4", "refunds2", 200, "sonnet"),
    ]);
    const names = new Map(graph.nodes.map(({ id, name }) => [id, name]));
    const costs = graph.edges.map(({ to, costUsd }) => `${names.get(to)} ${costUsd.toFixed(2)}`);
    expect(costs).toEqual(["refunds 0.03", "policy 0.01", "sonnet 0.02", "haiku 0.01"]);
    expect(graph.loops.map(({ kind, callerId }) => [kind, callerId && names.get(callerId)])).toEqual([
      ["again", "support"],
    ]);
  });

  it("groups the tools of an MCP server, as recorded or by their names", () => {
    const graph = graphOf([
      agent("a", null, 0, 200),
      tool("t1", "a", 0, "track", { "mcp.server.name": "carrier", "network.transport": "tcp" }),
      tool("t2", "a", 20, "mcp__github__create_issue"),
      tool("t3", "a", 40, "mcp__github__list__all"),
    ]);
    expect(graph.servers).toMatchObject([
      { name: "carrier", note: "http", count: 1 },
      { name: "github", note: undefined, count: 2 },
    ]);
    expect(graph.nodes.map(({ name }) => name)).toEqual(["a", "track", "create_issue", "list__all"]);
  });

  it("folds what runs inside a tool, and keeps the model calls in it", () => {
    const graph = graphOf([
      agent("a", null, 0, 200),
      newSpan("search", "a", 0, 50, { span_type: "retrieval" }),
      newSpan("embed", "search", 0, 10, { span_type: "embedding" }),
      newSpan("top_k", "search", 10, 10, { span_type: "tool" }),
      tool("t1", "a", 60, "research"),
      model("m1", "t1", 62, "haiku"),
    ]);
    expect(graph.nodes.map(({ name, inside }) => `${name} +${inside}`)).toEqual([
      "a +0",
      "search +2",
      "research +0",
      "haiku +0",
    ]);
    expect(graph.nodeOf.get("top_k")).toBe(graph.nodeOf.get("search"));
  });

  it("has what a task calls as called by the one that runs the task", () => {
    const graph = graphOf([
      agent("support", null, 0, 200),
      newSpan("load_context", "support", 0, 50),
      newSpan("read", "load_context", 0, 40),
      tool("t1", "read", 0, "get_customer", { "mcp.server.name": "crm-mcp" }),
      tool("t2", "t1", 2, "open_connection"),
      tool("t3", "load_context", 20, "get_session_history", { "mcp.server.name": "crm-mcp" }),
      newSpan("judge", "load_context", 30, 10, { span_type: "evaluation" }),
      tool("t4", "judge", 32, "count_words"),
      model("m1", "support", 60, "sonnet"),
    ]);
    expect(edgesOf(graph)).toEqual([
      "support → get_customer ×1 10",
      "support → get_session_history ×1 10",
      "support → sonnet ×1 10",
    ]);
    expect(graph.servers).toMatchObject([{ name: "crm-mcp", count: 2 }]);
    expect(graph.nodes.map(({ name, inside }) => `${name} +${inside}`)).toContain("get_customer +1");
    expect(graph.nodeOf.get("load_context")).toBe("agent support");
  });

  it("has a node for the program only where it calls something itself", () => {
    const pipeline = graphOf([
      newSpan("pipeline", null, 0, 100),
      agent("writer", "pipeline", 0, 40),
      agent("critic", "pipeline", 50, 40),
    ]);
    expect(edgesOf(pipeline)).toEqual(["pipeline → writer ×1 40", "pipeline → critic ×1 40"]);
    const single = graphOf([
      newSpan("job", null, 0, 100),
      agent("writer", "job", 0, 40),
      model("m", "writer", 0, "x"),
    ]);
    expect(edgesOf(single)).toEqual(["writer → x ×1 10"]);
    const plain = graphOf([newSpan("job", null, 0, 100), model("m", "job", 0, "x")]);
    expect(edgesOf(plain)).toEqual(["job → x ×1 10"]);
  });

  it("counts tools that a model called and nobody recorded", () => {
    const call = { type: "tool_call", id: "c1", name: "web_search", arguments: {} };
    const graph = graphOf([
      agent("a", null, 0, 100),
      newSpan("m", "a", 0, 10, {
        span_type: "llm",
        attributes: { model: "x", completion_messages: [{ role: "assistant", parts: [call] }] },
      }),
    ]);
    expect(edgesOf(graph)).toEqual(["a → x ×1 10", "a → web_search ×1 0"]);
  });

  it("marks agents that are started again, agents that go round, and the same call three times", () => {
    const same = { input_text: '{"id":1}' };
    const graph = graphOf([
      agent("a", null, 0, 500),
      agent("b1", "a", 0, 50),
      agent("b2", "a", 80, 50),
      agent("c", "a", 200, 100),
      newSpan("a2", "c", 210, 20, { span_type: "agent", attributes: { agent: "a" } }),
      ...[1, 2, 3].map((n) => tool(`t${n}`, "a", 300 + n * 20, "track", same)),
      tool("t9", "a", 400, "track"),
    ]);
    expect(
      graph.loops.map(({ kind, nodeId, count, repeatedMs, gapMs }) => [
        kind,
        nodeId,
        count,
        repeatedMs,
        gapMs,
      ]),
    ).toEqual([
      ["again", "agent b", 2, 50, 30],
      ["cycle", "agent a", 2, 20, undefined],
      ["same-call", "tool track", 3, 20, undefined],
    ]);
    expect([...backEdges(graph.nodes, graph.edges)]).toEqual([JSON.stringify(["agent c", "agent a"])]);
  });

  it("marks the same call three times that nobody recorded as a span", () => {
    const call = { type: "tool_call", id: "c", name: "web_search", arguments: { q: "a" } };
    const graph = graphOf([
      agent("a", null, 0, 100),
      ...[1, 2, 3].map((n) =>
        newSpan(`m${n}`, "a", n * 20, 10, {
          span_type: "llm",
          attributes: {
            model: "x",
            completion_messages: [{ role: "assistant", parts: [{ ...call, id: `c${n}` }] }],
          },
        }),
      ),
    ]);
    expect(graph.loops).toMatchObject([
      { kind: "same-call", nodeId: "tool web_search", callerId: "agent a", count: 3, span: { id: "m2" } },
    ]);
    expect(graph.loops).toMatchObject([{ repeatedMs: 0, arguments: { q: "a" } }]);
  });

  it("does not take agents that run side by side for a loop", () => {
    const graph = graphOf([agent("a", null, 0, 500), agent("b1", "a", 0, 50), agent("b2", "a", 10, 50)]);
    expect(graph.loops).toEqual([]);
    expect(edgesOf(graph)).toEqual(["a → b ×2 100"]);
  });
});

describe("layersOf", () => {
  it("puts agents after those that hand over to them, and the rest in the last layer", () => {
    const graph = graphOf([
      agent("a", null, 0, 500),
      agent("b1", "a", 0, 200),
      agent("c1", "b1", 0, 100),
      agent("c2", "a", 300, 100),
      tool("t", "a", 450, "x"),
    ]);
    expect([...layersOf(graph)]).toEqual([
      ["agent a", 0],
      ["agent b", 1],
      ["agent c", 2],
      ["tool x", 3],
    ]);
  });
});

describe("foldGraph", () => {
  const wide = (tools: number, name: (index: number) => string): RunGraph =>
    graphOf([
      agent("a", null, 0, 1e6),
      ...Array.from({ length: tools }, (_, i) =>
        newSpan(`t${i}`, "a", i * 2, 1 + i / tools, { name: name(i), span_type: "tool" }),
      ),
    ]);

  it("leaves small graphs as they are", () => {
    const graph = wide(39, (i) => `tool ${i}`);
    expect(foldGraph(graph, LIMITS, NONE).nodes).toBe(graph.nodes);
  });

  it("folds servers first, the largest first, but not the selected tool", () => {
    const graph = wide(50, (i) => `mcp__${i < 30 ? "big" : "small"}__t${i}`);
    const folded = foldGraph(graph, LIMITS, NONE);
    expect(folded.nodes).toHaveLength(22);
    expect(folded.nodes.find(({ kind }) => kind === "server")).toMatchObject({ name: "big", count: 30 });
    expect(folded.servers.map(({ name }) => name)).toEqual(["small"]);
    const [first] = graph.nodes.filter(({ kind }) => kind === "tool");
    const kept = foldGraph(graph, LIMITS, new Set([first?.id ?? ""]));
    expect(kept.nodes.find(({ kind }) => kind === "server")?.name).toBe("small");
  });

  it("then folds the tools with the least time, and loses none", () => {
    const graph = wide(5000, (i) => `tool ${i}`);
    const folded = foldGraph(graph, LIMITS, new Set(["tool tool 3"]));
    expect(folded.nodes).toHaveLength(60);
    expect(folded.wholeSize).toBe(5001);
    const others = folded.nodes.find(({ kind }) => kind === "others");
    expect(others).toMatchObject({ name: "other tools", count: 5001 - 59 });
    expect(others?.members).toHaveLength(5001 - 59);
    expect(folded.nodes.some(({ name }) => name === "tool 3")).toBe(true);
    expect(folded.nodes.some(({ name }) => name === "tool 4999")).toBe(true);
    expect(folded.shownAs.get("tool tool 7")).toBe(others?.id);
  });

  it("bounds agents and models too", () => {
    const graph = graphOf([
      agent("main", null, 0, 1e6),
      ...Array.from({ length: 1000 }, (_, i) => [
        newSpan(`a${i}`, "main", i * 20, 15, { span_type: "agent", attributes: { agent: `agent-${i}` } }),
        model(`m${i}`, `a${i}`, i * 20, `model-${i}`),
      ]).flat(),
    ]);
    const folded = foldGraph(graph, LIMITS, NONE);
    expect(folded.nodes.length).toBeLessThanOrEqual(60);
    expect(folded.edges.length).toBeLessThanOrEqual(60 * 60);
    expect(folded.nodes.reduce((sum, { count }) => sum + count, 0)).toBe(2001);
  });
});

/** A use of a tool is a call of a node, or inside of one: of another action, or of a judge, which is not part of the run. */
function expectEachUseOnce({ uses }: Run, { nodes }: RunGraph): void {
  const behind = nodes.filter(({ kind }) => kind === "tool").flatMap(({ spans }) => spans);
  const isInside = (node: SpanNode): boolean => {
    const { parent } = node;
    if (parent === undefined) return false;
    const { span_type: type } = parent.span;
    return ["tool", "retrieval", "embedding", "evaluation"].includes(type) || isInside(parent);
  };
  for (const { node } of uses) {
    if (node === undefined) continue;
    const times = behind.filter((span) => span === node).length;
    expect(times).toBeLessThanOrEqual(1);
    if (!isInside(node)) expect(times, node.span.name).toBe(1);
  }
  const unrecorded = uses.filter(({ node, caller }) => node === undefined && caller !== undefined).length;
  const calls = nodes.filter(({ kind }) => kind === "tool").reduce((sum, { count }) => sum + count, 0);
  expect(calls).toBe(behind.length + unrecorded);
}

/** What holds for every graph. */
function expectConsistent(spans: readonly NormalizedSpan[], nowMs: number): void {
  const run = readRun(buildSpanTree(spans));
  const graph = runGraph(run, nowMs);
  const ids = new Set(graph.nodes.map(({ id }) => id));
  expect(ids.size).toBe(graph.nodes.length);
  for (const { from, to } of graph.edges) expect([ids.has(from), ids.has(to)]).toEqual([true, true]);
  for (const { nodeId } of graph.loops) expect(ids.has(nodeId)).toBe(true);
  for (const node of graph.nodes) {
    if (isCaller(node)) continue;
    const incoming = graph.edges.filter(({ to }) => to === node.id);
    expect(incoming.reduce((sum, { count }) => sum + count, 0)).toBe(node.count);
    expect(incoming.reduce((sum, { totalMs }) => sum + totalMs, 0)).toBeCloseTo(node.totalMs, 6);
    expect(incoming.reduce((sum, { errors }) => sum + errors, 0)).toBe(node.errors);
  }
  const models = graph.nodes.filter(({ type }) => type === "llm");
  expect(models.reduce((sum, { count }) => sum + count, 0)).toBe(run.calls.length);
  expectEachUseOnce(run, graph);
  const layers = layersOf(graph);
  const back = backEdges(graph.nodes, graph.edges);
  for (const { id, from, to } of graph.edges)
    if (!back.has(id)) expect(layers.get(to) ?? 0).toBeGreaterThan(layers.get(from) ?? 0);

  const folded = foldGraph(graph, { foldServersAbove: 3, most: 4 }, NONE);
  const shown = new Set(folded.nodes.map(({ id }) => id));
  for (const { id } of graph.nodes) expect(shown.has(folded.shownAs.get(id) ?? "")).toBe(true);
  const sum = (of: RunGraph): number[] => [
    of.nodes.reduce((total, { count }) => total + count, 0),
    of.edges.reduce((total, { count }) => total + count, 0),
  ];
  expect(sum(folded)).toEqual(sum(graph));
}

describe("every graph", () => {
  it("has edges that add up to their targets, for any tree", () => {
    fc.assert(fc.property(randomSpans, fc.integer({ min: 0, max: 3000 }), expectConsistent), {
      numRuns: randomRuns(75),
    });
  });

  it.each(capturedTraces().map((trace) => [`${trace.name} ${trace.traceId.slice(0, 6)}`, trace] as const))(
    "has edges that add up to their targets, for %s",
    (_name, { spans }) => expectConsistent(spans, 0),
  );
});
