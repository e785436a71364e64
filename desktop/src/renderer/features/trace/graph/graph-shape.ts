import {
  backEdges,
  isCaller,
  layersOf,
  type FoldedGraph,
  type GraphEdge,
  type GraphNode,
} from "@obspan/collector-core/analysis";

/** A box of the layout: a node, or an MCP server with its tools as rows. Its width depends on the room of the view. */
export interface ShapeBox {
  readonly id: string;
  readonly layer: number;
  /** Whether it calls others; if not, edges have a label before it. */
  readonly isCaller: boolean;
  readonly height: number;
}

/** A node inside a box. */
export interface ShapeRow {
  readonly node: GraphNode;
  readonly boxId: string;
  /** From the top of the box. */
  readonly top: number;
  readonly height: number;
}

/** What is to be laid out: boxes in layers, and the edges between them. */
export interface GraphShape {
  readonly boxes: readonly ShapeBox[];
  readonly rows: readonly ShapeRow[];
  /** Edges that lead to the right. */
  readonly forward: readonly GraphEdge[];
  /** Edges that lead back to a caller. */
  readonly back: readonly GraphEdge[];
  readonly lastLayer: number;
}

const CALLER_HEIGHT = 84;
export const GROUP_HEAD = 27;
const HEIGHTS = { model: 30, other: 28, row: 25 };
/** Distance of edges that end at the same node. */
export const PORT = 15;

/** The boxes of a graph. A node grows with the edges that end at it, so that their labels have room. */
export function graphShape(graph: FoldedGraph): GraphShape {
  const layers = layersOf(graph);
  const back = backEdges(graph.nodes, graph.edges);
  const forward = graph.edges.filter(({ id }) => !back.has(id));
  const incoming = new Map<string, number>();
  for (const { to } of forward) incoming.set(to, (incoming.get(to) ?? 0) + 1);
  const roomOf = (id: string, least: number): number => Math.max(least, (incoming.get(id) ?? 0) * PORT);

  const boxes: ShapeBox[] = [];
  const rows: ShapeRow[] = [];
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const grouped = new Set<string>();
  for (const { id, tools } of graph.servers) {
    let top = GROUP_HEAD;
    const nodes = tools.flatMap((tool) => byId.get(tool) ?? []);
    for (const node of nodes) {
      grouped.add(node.id);
      const height = roomOf(node.id, HEIGHTS.row);
      rows.push({ node, boxId: id, top, height });
      top += height;
    }
    const layer = Math.max(0, ...nodes.map((node) => layers.get(node.id) ?? 0));
    boxes.push({ id, layer, isCaller: false, height: top + 1 });
  }
  for (const node of graph.nodes) {
    if (grouped.has(node.id)) continue;
    const isCalling = isCaller(node);
    const least = node.kind === "model" ? HEIGHTS.model : HEIGHTS.other;
    const height = isCalling ? CALLER_HEIGHT : roomOf(node.id, least);
    boxes.push({ id: node.id, layer: layers.get(node.id) ?? 0, isCaller: isCalling, height });
    rows.push({ node, boxId: node.id, top: 0, height });
  }
  const lastLayer = boxes.reduce((last, { layer }) => Math.max(last, layer), 0);
  return { boxes, rows, forward, back: graph.edges.filter(({ id }) => back.has(id)), lastLayer };
}
