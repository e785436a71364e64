import { textOf } from "../attributes.js";
import { runSteps, type Steps } from "../in-steps.js";
import { addUsage, leafUsageOf, NO_USAGE, type Usage } from "../leaf-usage.js";
import { agentName, type ModelCall } from "../model-calls.js";
import type { Run } from "../run.js";
import type { SpanNode } from "../span-tree.js";
import { actionsIn, isAction, isHandOff } from "../steps.js";
import { toolName, type ToolUse } from "../tool-uses.js";
import { findLoops } from "./graph-loops.js";
import { OpenGraph, type NodeIdentity, type OpenEdge, type OpenNode } from "./open-graph.js";
import type { GraphNode, GraphServer, RunGraph } from "./run-graph.js";
import { toolIdentity } from "./tool-server.js";

/** Id of the node of the program outside of agents. */
export const RUN_NODE = "run";

/**
 * The graph of a run: its agents, the models, tools and MCP servers that they called, and hand-offs between agents. What runs
 * inside a tool is part of it, unless it is a step of its own; what runs inside a task is called by who runs the task.
 *
 * @param nowMs - the assumed end of running spans, in milliseconds from the start of the trace.
 */
export function runGraph(run: Run, nowMs: number): RunGraph {
  return runSteps(runGraphInSteps(run, nowMs));
}

/** Spans between two pauses. */
const PAUSE = 512;

/** The same with pauses: a run may have very many spans. */
export function* runGraphInSteps(run: Run, nowMs: number): Steps<RunGraph> {
  const graph = new OpenGraph(nowMs);
  const entries = agentEntries(run);
  const nodeOf = new Map<string, string>();
  const program = programIdentity(run);
  const callerOf = (node: SpanNode): OpenNode => {
    const owner = entries.ownerOf(node);
    return graph.node(owner === undefined ? program : agentIdentity(owner));
  };
  const callOf = new Map(run.calls.map((call) => [call.node, call]));
  const useOf = new Map(
    run.uses.flatMap((use) => (use.node === undefined ? [] : [[use.node, use] as const])),
  );

  // A program that only starts one agent is not drawn.
  const started = new Set(entries.all.filter((node) => entries.ownerOf(node) === undefined).map(agentName));
  const handOffs = new Map<SpanNode, OpenEdge>();
  const spentIn = new Map<SpanNode, Usage>();
  const spend = (owner: SpanNode | undefined, usage: Usage): void => {
    if (owner !== undefined) spentIn.set(owner, addUsage(spentIn.get(owner) ?? NO_USAGE, usage));
  };
  yield;
  for (const [index, node] of entries.all.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    const agent = graph.node(agentIdentity(node));
    graph.count(agent, node);
    nodeOf.set(node.id, agent.id);
    const isFromRun = entries.ownerOf(node) === undefined;
    if (isFromRun && (started.size < 2 || node.parent === undefined)) continue;
    handOffs.set(node, graph.connect(callerOf(node).id, agent.id, node));
  }
  yield;
  for (const [index, node] of calledIn(run).entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    const identity = stepIdentity(node, callOf.get(node), useOf.get(node));
    if (identity === undefined) continue;
    const target = graph.node(identity);
    const usage = leafUsageOf(node);
    graph.count(target, node, usage);
    nodeOf.set(node.id, target.id);
    const from = callerOf(node);
    graph.connect(from.id, target.id, node, usage);
    spend(entries.ownerOf(node), usage);
    if (callOf.has(node)) from.modelCalls++;
    from.usage = addUsage(from.usage, usage);
  }
  yield;
  // From the end: an agent comes after the one that started it.
  for (const node of entries.all.toReversed()) {
    const spent = spentIn.get(node) ?? NO_USAGE;
    spend(entries.ownerOf(node), spent);
    const handOff = handOffs.get(node);
    if (handOff === undefined) continue;
    handOff.costUsd += spent.costUsd;
    handOff.isComputed ||= spent.isComputed;
  }
  for (const [index, use] of run.uses.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    if (use.node !== undefined || use.caller === undefined) continue;
    const target = graph.node(toolIdentity(use.name, undefined));
    graph.count(target, undefined);
    graph.connect(callerOf(use.caller.node).id, target.id, undefined);
  }

  yield;
  for (const node of run.tree.nodes) {
    if (node.place % PAUSE === PAUSE - 1) yield;
    if (nodeOf.has(node.id)) continue;
    const around = node.parent && nodeOf.get(node.parent.id);
    const id = around ?? (graph.nodes.has(RUN_NODE) ? RUN_NODE : undefined);
    if (id === undefined) continue;
    nodeOf.set(node.id, id);
    const holder = graph.nodes.get(id);
    const isInStep = holder?.kind === "tool" || holder?.kind === "retrieval";
    if (holder !== undefined && isInStep && node.span.span_type !== "evaluation") holder.inside++;
  }
  const runNode = graph.nodes.get(RUN_NODE);
  if (runNode !== undefined)
    for (const root of run.tree.roots) if (nodeOf.get(root.id) === RUN_NODE) graph.count(runNode, root);

  const nodes = [...graph.nodes.values()];
  const edges = [...graph.edges.values()];
  yield;
  const servers = serversOf(nodes);
  return { nodes, edges, servers, nodeOf, loops: yield* findLoops(run, nodes, edges, nodeOf) };
}

/** What the agents and the program called, in order of start. A task is part of who runs it: what it calls counts instead. */
function calledIn({ steps }: Run): SpanNode[] {
  const isCall = (node: SpanNode): boolean => isAction(node) || node.span.span_type === "agent";
  return steps
    .flatMap((node) => (isCall(node) ? [node] : actionsIn(node)))
    .toSorted((a, b) => a.startMs - b.startMs);
}

/** The spans that start an agent, and the one around each span. */
interface AgentEntries {
  readonly all: readonly SpanNode[];
  readonly ownerOf: (node: SpanNode) => SpanNode | undefined;
}

/** Libraries wrap agents in agents: one inside another one of the same name, or without a name, does not start anything. */
function agentEntries({ tree }: Run): AgentEntries {
  const all = new Set<SpanNode>();
  const owners = new Map<SpanNode, SpanNode | undefined>();
  for (const node of tree.nodes) {
    const { parent } = node;
    const owner = parent !== undefined && all.has(parent) ? parent : parent && owners.get(parent);
    owners.set(node, owner);
    if (node.span.span_type !== "agent") continue;
    const isFirst = owner === undefined;
    if (isFirst || (isHandOff(node) && agentName(owner) !== agentName(node))) all.add(node);
  }
  return { all: [...all], ownerOf: (node) => owners.get(node) };
}

/** What is outside of agents. */
function programIdentity({ tree }: Run): NodeIdentity {
  const root = tree.roots.find(({ span }) => span.span_type === "task" || span.span_type === "agent");
  const name = root?.span.name ?? tree.roots[0]?.span.service ?? "";
  return { id: RUN_NODE, kind: "run", name, type: "task", note: undefined, server: undefined };
}

function agentIdentity(node: SpanNode): NodeIdentity {
  const name = agentName(node);
  return { id: `agent ${name}`, kind: "agent", name, type: "agent", note: undefined, server: undefined };
}

/** What a step is in the graph. Tasks are part of who runs them; agents are counted where they start. */
function stepIdentity(
  node: SpanNode,
  call: ModelCall | undefined,
  use: ToolUse | undefined,
): NodeIdentity | undefined {
  const { span } = node;
  if (call !== undefined || span.span_type === "embedding") {
    const name = textOf(span, "model") ?? span.name;
    const note = textOf(span, "provider");
    const id = `${span.span_type} ${name}`;
    return { id, kind: "model", name, type: span.span_type, note, server: undefined };
  }
  if (span.span_type === "tool") return toolIdentity(use?.name ?? toolName(node), node);
  if (span.span_type !== "retrieval") return undefined;
  const { name } = span;
  return {
    id: `retrieval ${name}`,
    kind: "retrieval",
    name,
    type: "retrieval",
    note: undefined,
    server: undefined,
  };
}

function serversOf(nodes: readonly GraphNode[]): GraphServer[] {
  const tools = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    if (node.kind !== "tool" || node.server === undefined) continue;
    const list = tools.get(node.server);
    if (list === undefined) tools.set(node.server, [node]);
    else list.push(node);
  }
  return [...tools].map(([name, list]) => ({
    id: serverId(name),
    name,
    note: list.find(({ note }) => note !== undefined)?.note,
    count: list.reduce((sum, { count }) => sum + count, 0),
    tools: list.map(({ id }) => id),
  }));
}

/** The id of a folded server. */
export function serverId(name: string): string {
  return `server ${name}`;
}
