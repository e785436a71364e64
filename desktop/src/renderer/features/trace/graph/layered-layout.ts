import dagre from "@dagrejs/dagre";
import type { LayoutAnswer, LayoutRequest } from "./layout-messages.js";

/** Space between boxes of a layer, and the edges that pass it. */
export const SPACE = 12;
/** Space above the first box. */
export const MARGIN = 18;

/** Orders the boxes of each layer so that few edges cross, and places them from the top. The layers themselves are given. */
export function layeredLayout({ id, boxes, edges }: LayoutRequest): LayoutAnswer {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: SPACE, edgesep: SPACE, ranksep: 100 });
  // Only their order and heights are asked for: how wide a layer is depends on the view.
  for (const { id: box, height } of boxes) graph.setNode(box, { width: 1, height });
  for (const { id: edge, from, to, layers } of edges)
    graph.setEdge(from, to, { minlen: layers, weight: layers === 1 ? 2 : 1 }, edge);
  dagre.layout(graph);

  const middleOf = (box: string): number => (graph.node(box) as { readonly y: number }).y;
  const top = boxes.reduce(
    (least, { id: box, height }) => Math.min(least, middleOf(box) - height / 2),
    Number.POSITIVE_INFINITY,
  );
  const move = Number.isFinite(top) ? MARGIN - top : 0;
  const channels = edges.map(({ id: edge, from, to, layers }) => {
    const { points } = graph.edge(from, to, edge) as { points: readonly { readonly y: number }[] };
    // The layout has a point in each layer and one between two layers.
    const crossed = Array.from(
      { length: layers - 1 },
      (_, index) => (points[2 * (index + 1)]?.y ?? 0) + move,
    );
    return [edge, crossed] as const;
  });
  const ends = boxes.map(({ id: box, height }) => middleOf(box) + height / 2 + move);
  return {
    id,
    tops: Object.fromEntries(boxes.map(({ id: box, height }) => [box, middleOf(box) - height / 2 + move])),
    channels: Object.fromEntries(channels),
    height: Math.max(0, ...ends, ...channels.flatMap(([, crossed]) => crossed)) + MARGIN,
  };
}
