import type { GraphEdge, GraphNode } from "./run-graph.js";

type Graph = {
  readonly nodes: readonly Pick<GraphNode, "id" | "kind" | "type">[];
  readonly edges: readonly Pick<GraphEdge, "id" | "from" | "to">[];
};

/** Whether a node calls others. */
export function isCaller({ kind, type }: Pick<GraphNode, "kind" | "type">): boolean {
  return kind === "agent" || kind === "run" || (kind === "others" && type === "agent");
}

/**
 * The edges that lead back to where a walk comes from. The walk begins where nothing leads to, and follows edges in their order.
 * Not recursive, because agents may hand over thousands deep.
 */
export function backEdges(nodes: Graph["nodes"], edges: Graph["edges"]): ReadonlySet<string> {
  const outgoing = edgesBy(edges, "from");
  const targets = new Set(edges.map(({ to }) => to));
  const back = new Set<string>();
  const done = new Set<string>();
  const open = new Set<string>();
  const sources = nodes.filter(({ id }) => !targets.has(id));
  for (const { id } of [...sources, ...nodes]) {
    if (done.has(id)) continue;
    const path: { readonly id: string; next: number }[] = [{ id, next: 0 }];
    open.add(id);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const edge = outgoing.get(at.id)?.[at.next++];
      if (edge === undefined) {
        open.delete(at.id);
        done.add(at.id);
        path.pop();
      } else if (open.has(edge.to)) back.add(edge.id);
      else if (!done.has(edge.to)) {
        open.add(edge.to);
        path.push({ id: edge.to, next: 0 });
      }
    }
  }
  return back;
}

/**
 * The layers of a graph from left to right: callers by how many hand-offs lead to them at most, and all that does not call
 * anything in the last one.
 */
export function layersOf({ nodes, edges }: Graph): ReadonlyMap<string, number> {
  const back = backEdges(nodes, edges);
  const callers = new Set(nodes.filter(isCaller).map(({ id }) => id));
  const forward = edges.filter(({ id, to }) => !back.has(id) && callers.has(to));
  const outgoing = edgesBy(forward, "from");
  const waitingFor = new Map<string, number>();
  for (const { to } of forward) waitingFor.set(to, (waitingFor.get(to) ?? 0) + 1);
  const layers = new Map<string, number>();
  const ready = [...callers].filter((id) => !waitingFor.has(id));
  for (const id of ready) layers.set(id, 0);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    for (const { to } of outgoing.get(id) ?? []) {
      layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(id) ?? 0) + 1));
      const left = (waitingFor.get(to) ?? 1) - 1;
      waitingFor.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  const last = [...layers.values()].reduce((most, layer) => Math.max(most, layer), -1) + 1;
  for (const node of nodes) if (!isCaller(node)) layers.set(node.id, last);
  return layers;
}

function edgesBy(edges: Graph["edges"], end: "from" | "to"): ReadonlyMap<string, Graph["edges"]> {
  const by = new Map<string, Graph["edges"][number][]>();
  for (const edge of edges) {
    const list = by.get(edge[end]);
    if (list === undefined) by.set(edge[end], [edge]);
    else list.push(edge);
  }
  return by;
}
