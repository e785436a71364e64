import { addUsage } from "../leaf-usage.js";
import type { SpanNode } from "../span-tree.js";
import { edgeId, newNode, type OpenNode } from "./open-graph.js";
import type { GraphEdge, GraphNode, RunGraph } from "./run-graph.js";

/** What several nodes become. */
export type GroupIdentity = Pick<GraphNode, "id" | "kind" | "name" | "type" | "note">;

/**
 * Merges nodes into groups, and the edges between them.
 *
 * @param groups - the group of each node that becomes part of one, by id.
 */
export function mergeNodes(graph: RunGraph, groups: ReadonlyMap<string, GroupIdentity>): RunGraph {
  const shownAs = (id: string): string => groups.get(id)?.id ?? id;
  const nodes = new Map<string, GraphNode>();
  const open = new Map<string, OpenNode & { members: GraphNode[] }>();
  for (const node of graph.nodes) {
    const group = groups.get(node.id);
    if (group === undefined) {
      nodes.set(node.id, node);
      continue;
    }
    let merged = open.get(group.id);
    if (merged === undefined) {
      merged = { ...newNode({ ...group, server: undefined }), members: [] };
      open.set(group.id, merged);
      nodes.set(group.id, merged);
    }
    merged.members.push(node);
    appendAll(merged.spans, node.spans);
    merged.count += node.count;
    merged.totalMs += node.totalMs;
    merged.usage = addUsage(merged.usage, node.usage);
    merged.modelCalls += node.modelCalls;
    merged.errors += node.errors;
    merged.isRunning ||= node.isRunning;
    merged.inside += node.inside;
  }
  for (const { spans } of open.values()) spans.sort(byStart);
  return {
    nodes: [...nodes.values()],
    edges: mergeEdges(graph.edges, shownAs),
    servers: graph.servers.flatMap((server) => {
      const tools = server.tools.filter((id) => !groups.has(id));
      return tools.length === 0 ? [] : [{ ...server, tools }];
    }),
    loops: graph.loops.map((loop) => ({
      ...loop,
      nodeId: shownAs(loop.nodeId),
      callerId: loop.callerId && shownAs(loop.callerId),
    })),
    nodeOf: graph.nodeOf,
  };
}

function mergeEdges(edges: readonly GraphEdge[], shownAs: (id: string) => string): GraphEdge[] {
  const merged = new Map<string, GraphEdge & { spans: SpanNode[] }>();
  for (const edge of edges) {
    const [from, to] = [shownAs(edge.from), shownAs(edge.to)];
    const id = edgeId(from, to);
    const known = merged.get(id);
    if (known === undefined) {
      merged.set(id, { ...edge, id, from, to, spans: [...edge.spans] });
      continue;
    }
    appendAll(known.spans, edge.spans);
    merged.set(id, {
      ...known,
      count: known.count + edge.count,
      totalMs: known.totalMs + edge.totalMs,
      errors: known.errors + edge.errors,
      costUsd: known.costUsd + edge.costUsd,
      isComputed: known.isComputed || edge.isComputed,
      isRunning: known.isRunning || edge.isRunning,
    });
  }
  for (const { spans } of merged.values()) spans.sort(byStart);
  return [...merged.values()];
}

function byStart(a: SpanNode, b: SpanNode): number {
  return a.startMs - b.startMs;
}

/** Not spread: there may be more spans than arguments. */
function appendAll(list: SpanNode[], more: readonly SpanNode[]): void {
  for (const item of more) list.push(item);
}
