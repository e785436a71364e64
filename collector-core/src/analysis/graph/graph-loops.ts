import { canonicalData } from "../canonical-json.js";
import type { Steps } from "../in-steps.js";
import { startOfUse } from "../repeats.js";
import type { Run } from "../run.js";
import type { SpanNode } from "../span-tree.js";
import type { ToolUse } from "../tool-uses.js";
import { backEdges } from "./graph-layers.js";
import type { GraphEdge, GraphLoop, GraphNode } from "./run-graph.js";
import { toolIdentity } from "./tool-server.js";

/** From this many calls with the same arguments on, an agent goes round in circles. */
export const SAME_CALLS = 3;
/** The most loops that are listed: a hostile trace has as many as spans. */
const MOST_LOOPS = 1000;

/** Uses and edges between two pauses. */
const PAUSE = 512;

/** Finds where a run goes round, in order of time. */
export function* findLoops(
  run: Run,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  nodeOf: ReadonlyMap<string, string>,
): Steps<GraphLoop[]> {
  const agents = new Set(nodes.filter(({ kind }) => kind === "agent").map(({ id }) => id));
  const handOffs = edges.filter(({ to }) => agents.has(to));
  const back = backEdges(nodes, edges);
  yield;
  const found = yield* sameCalls(run, nodeOf);
  for (const [index, edge] of handOffs.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    for (const loop of back.has(edge.id) ? cycle(edge) : startedAgain(edge)) found.push(loop);
  }
  return found.toSorted((a, b) => a.span.startMs - b.span.startMs).slice(0, MOST_LOOPS);
}

function* sameCalls(run: Run, nodeOf: ReadonlyMap<string, string>): Steps<GraphLoop[]> {
  const groups = new Map<string, ToolUse[]>();
  let read = 0;
  for (const [use, { count }] of run.repeats) {
    if (++read % PAUSE === 0) yield;
    if (count < SAME_CALLS) continue;
    const key = callKey(use, nodeOf);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [use]);
    else group.push(use);
  }
  return [...groups.values()].flatMap((group): GraphLoop[] => {
    if (group.length < SAME_CALLS) return [];
    const [first, ...again] = group.toSorted((a, b) => startOfUse(a) - startOfUse(b));
    const [second] = again;
    const span = second?.node ?? second?.caller?.node;
    const nodeId = first && toolNodeId(first, nodeOf);
    if (first === undefined || span === undefined || nodeId === undefined) return [];
    const around = (first.node ?? first.caller?.node)?.parent;
    return [
      {
        kind: "same-call",
        nodeId,
        callerId: around && nodeOf.get(around.id),
        count: group.length,
        repeatedMs: again.reduce((sum, { node }) => sum + (node === undefined ? 0 : durationOf(node)), 0),
        gapMs: undefined,
        arguments: first.arguments,
        span,
      },
    ];
  });
}

function toolNodeId({ name, node }: ToolUse, nodeOf: ReadonlyMap<string, string>): string | undefined {
  return node === undefined ? toolIdentity(name, undefined).id : nodeOf.get(node.id);
}

/** Equal for the uses of a tool by one agent with the same arguments. */
function callKey({ name, node, caller, arguments: values }: ToolUse, nodeOf: ReadonlyMap<string, string>) {
  const agent = caller?.agent?.id ?? (node?.parent && nodeOf.get(node.parent.id));
  return JSON.stringify([agent, name, canonicalData(values)]);
}

/** An agent that its caller started, got back from, and started again. Those that run side by side are none. */
function startedAgain({ from, to, spans }: GraphEdge): GraphLoop[] {
  const ordered = spans.toSorted((a, b) => a.startMs - b.startMs);
  const [first] = ordered;
  if (first?.endMs === undefined) return [];
  const { endMs } = first;
  const again = ordered.filter(({ startMs }, index) => index > 0 && startMs >= endMs);
  const [span] = again;
  if (span === undefined) return [];
  const repeatedMs = again.reduce((sum, node) => sum + durationOf(node), 0);
  const gapMs = span.startMs - endMs;
  const count = again.length + 1;
  return [
    { kind: "again", nodeId: to, callerId: from, count, repeatedMs, gapMs, arguments: undefined, span },
  ];
}

function cycle({ from, to, spans, count, totalMs }: GraphEdge): GraphLoop[] {
  const [span] = spans;
  if (span === undefined) return [];
  return [
    {
      kind: "cycle",
      nodeId: to,
      callerId: from,
      count: count + 1,
      repeatedMs: totalMs,
      gapMs: undefined,
      arguments: undefined,
      span,
    },
  ];
}

function durationOf({ startMs, endMs }: SpanNode): number {
  return (endMs ?? startMs) - startMs;
}
