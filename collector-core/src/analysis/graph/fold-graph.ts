import { mergeNodes, type GroupIdentity } from "./merge-nodes.js";
import type { GraphNode, RunGraph } from "./run-graph.js";

/** How many nodes are drawn. */
export interface FoldLimits {
  /** Above this many nodes, the tools of a server become one node, the largest server first. */
  readonly foldServersAbove: number;
  /** At most this many nodes are drawn; those with the least time become one. */
  readonly most: number;
}

/** A graph of bounded size. */
export interface FoldedGraph extends RunGraph {
  /** The node that stands for a node of the whole graph, by id. */
  readonly shownAs: ReadonlyMap<string, string>;
  /** Nodes of the whole graph. */
  readonly wholeSize: number;
}

/** Running nodes that are kept. More of them fold like others. */
const KEPT_RUNNING = 8;

/** A kind of nodes that fold together. */
interface Folding {
  readonly group: GroupIdentity;
  readonly folds: (node: GraphNode) => boolean;
}

/** In which order nodes fold. Agents come last, because their edges tell how the run went. */
const FOLDINGS: readonly Folding[] = [
  {
    group: { id: "others tool", kind: "others", name: "other tools", type: "tool", note: undefined },
    folds: ({ kind }) => kind === "tool" || kind === "retrieval" || kind === "server",
  },
  {
    group: { id: "others llm", kind: "others", name: "other models", type: "llm", note: undefined },
    folds: ({ kind }) => kind === "model",
  },
  {
    group: { id: "others agent", kind: "others", name: "other agents", type: "agent", note: undefined },
    folds: ({ kind }) => kind === "agent",
  },
];

/**
 * Folds a graph to a size that can be drawn and read: first servers, then the tools with the least time, then models and
 * agents. Nothing is lost: a folded node has its members, and the edges add up.
 *
 * @param keep - ids of nodes that stay, such as the selected one.
 */
export function foldGraph(graph: RunGraph, limits: FoldLimits, keep: ReadonlySet<string>): FoldedGraph {
  const running = graph.nodes.filter(({ isRunning }) => isRunning).slice(-KEPT_RUNNING);
  const kept = new Set([...keep, ...running.map(({ id }) => id)]);
  const servers = foldServers(graph, limits, kept);
  let folded = servers.size === 0 ? graph : mergeNodes(graph, servers);
  for (const { group, folds } of FOLDINGS) {
    const over = folded.nodes.length - limits.most;
    if (over <= 0) break;
    const least = folded.nodes
      .filter((node) => folds(node) && !kept.has(node.id))
      .toSorted((a, b) => a.totalMs - b.totalMs || a.count - b.count)
      // The folded node takes a place itself.
      .slice(0, over + 1);
    if (least.length > 1) folded = mergeNodes(folded, new Map(least.map(({ id }) => [id, group])));
  }
  const shownAs = new Map<string, string>();
  for (const node of folded.nodes) {
    const inside = [node];
    for (let item = inside.pop(); item !== undefined; item = inside.pop()) {
      shownAs.set(item.id, node.id);
      for (const member of item.members) inside.push(member);
    }
  }
  return { ...folded, shownAs, wholeSize: graph.nodes.length };
}

function foldServers(
  { nodes, servers }: RunGraph,
  { foldServersAbove }: FoldLimits,
  kept: ReadonlySet<string>,
): ReadonlyMap<string, GroupIdentity> {
  const groups = new Map<string, GroupIdentity>();
  let size = nodes.length;
  for (const { id, name, note, tools } of servers.toSorted((a, b) => b.tools.length - a.tools.length)) {
    if (size <= foldServersAbove || tools.length < 2) break;
    if (tools.some((tool) => kept.has(tool))) continue;
    for (const tool of tools) groups.set(tool, { id, kind: "server", name, type: "tool", note });
    size -= tools.length - 1;
  }
  return groups;
}
