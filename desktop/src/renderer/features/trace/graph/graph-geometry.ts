import type { GraphEdge, GraphLoop, GraphNode } from "@obspan/collector-core/analysis";
import { PORT } from "./graph-shape.js";
import type { PlacedShape } from "./use-graph-layout.js";

/** A place on the canvas, in pixels. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedNode extends Place {
  readonly node: GraphNode;
  /** The server around it, if it is a row of one. */
  readonly boxId: string;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly path: string;
  readonly label: { readonly x: number; readonly y: number; readonly isInMiddle: boolean };
  readonly isBack: boolean;
}

export interface PlacedReturn {
  readonly loop: GraphLoop;
  readonly path: string;
  readonly label: { readonly x: number; readonly y: number };
}

export interface GraphGeometry {
  readonly nodes: readonly PlacedNode[];
  readonly groups: ReadonlyMap<string, Place>;
  readonly edges: readonly PlacedEdge[];
  /** Ways back to a caller that started an agent again. */
  readonly returns: readonly PlacedReturn[];
  readonly width: number;
  readonly height: number;
}

/** Widths of the boxes, the left edge of the first layer, and distances between layers. */
interface Measures {
  readonly left: number;
  readonly caller: number;
  readonly between: number;
  readonly beforeTargets: number;
  readonly target: number;
}

const WIDE: Measures = { left: 14, caller: 168, between: 88, beforeTargets: 168, target: 212 };
/** What still has room for names, figures and labels. */
const NARROW: Measures = { left: 8, caller: 156, between: 44, beforeTargets: 96, target: 198 };
/** Room of a label before the node that an edge ends at. */
const LABEL = 76;
const MOST_PORT = 16;
/** Space between an edge that passes a layer and its boxes. */
const PASSING = 10;

/** The widths of a graph with callers in so many layers before its targets. */
function widthOf({ left, caller, between, beforeTargets, target }: Measures, callerLayers: number): number {
  return 2 * left + callerLayers * caller + (callerLayers - 1) * between + beforeTargets + target;
}

/** Distances and boxes shrink before the text would have to: it stays readable. */
function measuresFor(room: number, callerLayers: number): Measures {
  const [most, least] = [widthOf(WIDE, callerLayers), widthOf(NARROW, callerLayers)];
  const share = Math.min(1, Math.max(0, (most - room) / (most - least)));
  const between = (name: keyof Measures): number =>
    Math.floor(WIDE[name] - share * (WIDE[name] - NARROW[name]));
  return {
    left: between("left"),
    caller: between("caller"),
    between: between("between"),
    beforeTargets: between("beforeTargets"),
    target: between("target"),
  };
}

/**
 * Where nodes and edges are drawn.
 *
 * @param room - the width of the view: a graph that needs more gets denser, as far as its texts allow.
 */
export function graphGeometry(
  { shape, answer }: PlacedShape,
  loops: readonly GraphLoop[] = [],
  room = Number.POSITIVE_INFINITY,
): GraphGeometry {
  const { lastLayer } = shape;
  const measures = measuresFor(room, Math.max(1, lastLayer));
  const { left: first, caller, between, beforeTargets } = measures;
  const leftOf = (layer: number): number =>
    layer < lastLayer || lastLayer === 0
      ? first + layer * (caller + between)
      : first + (layer - 1) * (caller + between) + caller + beforeTargets;
  const boxes = new Map<string, Place & { readonly layer: number; readonly isCaller: boolean }>();
  for (const { id, layer, isCaller, height } of shape.boxes) {
    const top = Object.hasOwn(answer.tops, id) ? answer.tops[id] : undefined;
    const width = isCaller ? caller : measures.target;
    if (top !== undefined) boxes.set(id, { left: leftOf(layer), top, width, height, layer, isCaller });
  }
  const nodes = shape.rows.flatMap(({ node, boxId, top, height }): PlacedNode[] => {
    const box = boxes.get(boxId);
    return box === undefined ? [] : [{ node, boxId, ...box, top: box.top + top, height }];
  });
  const placeOf = new Map(nodes.map((place) => [place.node.id, place]));
  const groups = new Map<string, Place>();
  for (const { node, boxId } of nodes) {
    const box = boxes.get(boxId);
    if (boxId !== node.id && box !== undefined) groups.set(boxId, box);
  }

  const starts = portsOf(shape.forward, placeOf, "from");
  const ends = portsOf(shape.forward, placeOf, "to");
  const forward = shape.forward.flatMap((edge): PlacedEdge[] => {
    const [from, to] = [placeOf.get(edge.from), placeOf.get(edge.to)];
    const [y1, y2] = [starts.get(edge.id), ends.get(edge.id)];
    if (from === undefined || to === undefined || y1 === undefined || y2 === undefined) return [];
    const channels = Object.hasOwn(answer.channels, edge.id) ? (answer.channels[edge.id] ?? []) : [];
    const layer = boxes.get(from.boxId)?.layer ?? 0;
    let x = from.left + from.width;
    let y = y1;
    let path = `M${x} ${y}`;
    for (const [index, channel] of channels.entries()) {
      const left = leftOf(layer + 1 + index);
      path += `${curve(x, y, left - PASSING, channel)}H${left + caller + PASSING}`;
      x = left + caller + PASSING;
      y = channel;
    }
    const isTarget = boxes.get(to.boxId)?.isCaller !== true;
    const end = to.left - 2;
    const landing = isTarget ? end - LABEL : end - 12;
    path += `${curve(x, y, landing, y2)}H${end}`;
    const label = isTarget
      ? { x: to.left - 14, y: y2, isInMiddle: false }
      : { x: (x + landing) / 2, y: (y + y2) / 2, isInMiddle: true };
    return [{ edge, path, label, isBack: false }];
  });
  const back = shape.back.flatMap((edge): PlacedEdge[] => {
    const [from, to] = [placeOf.get(edge.from), placeOf.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    const [x1, y1] = [from.left + 40, from.top + from.height];
    const [x2, y2] = [to.left + to.width + 3, to.top + to.height - 14];
    const path = `M${x1} ${y1}C${x1} ${y1 + 50} ${x2 + 60} ${y2 + 10} ${x2} ${y2}`;
    return [{ edge, path, label: { x: x1 + 4, y: y1 + 14, isInMiddle: false }, isBack: true }];
  });
  const returns = loops.flatMap((loop): PlacedReturn[] => {
    const caller = loop.callerId === undefined ? undefined : placeOf.get(loop.callerId);
    const called = placeOf.get(loop.nodeId);
    if (loop.kind !== "again" || caller === undefined || called === undefined) return [];
    const [x1, y1] = [called.left + called.width / 4, called.top + called.height];
    const [x2, y2] = [caller.left + caller.width + 3, caller.top + caller.height - 8];
    const low = Math.max(y1, y2) + 34;
    const path = `M${x1} ${y1}C${x1} ${low} ${x2 + 70} ${low} ${x2} ${y2}`;
    return [{ loop, path, label: { x: x1 + 6, y: y1 + 14 } }];
  });
  const right = nodes.reduce((most, { left, width }) => Math.max(most, left + width), 0);
  return {
    nodes,
    groups,
    edges: [...back, ...forward],
    returns,
    width: right + first,
    height: answer.height,
  };
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (x1 + x2) / 2;
  return y1 === y2 ? `H${x2}` : `C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

/** Where the edges at a node begin or end: side by side, in the order of their other ends. */
function portsOf(
  edges: readonly GraphEdge[],
  placeOf: ReadonlyMap<string, PlacedNode>,
  end: "from" | "to",
): ReadonlyMap<string, number> {
  const other = end === "from" ? "to" : "from";
  const byNode = new Map<string, GraphEdge[]>();
  for (const edge of edges) byNode.set(edge[end], [...(byNode.get(edge[end]) ?? []), edge]);
  const ports = new Map<string, number>();
  for (const [id, list] of byNode) {
    const place = placeOf.get(id);
    if (place === undefined) continue;
    const topOf = (edge: GraphEdge): number => placeOf.get(edge[other])?.top ?? 0;
    const ordered = list.toSorted((a, b) => topOf(a) - topOf(b));
    const room = end === "from" ? Math.min(MOST_PORT, (place.height - 16) / list.length) : PORT;
    const first = place.top + place.height / 2 - ((list.length - 1) * room) / 2;
    for (const [index, edge] of ordered.entries()) ports.set(edge.id, first + index * room);
  }
  return ports;
}
