import { layeredLayout, MARGIN, SPACE } from "./layered-layout.js";
import type { LayoutAnswer, LayoutRequest } from "./layout-messages.js";

/** A box keeps its place while this much space is left above it: a node grows a little with each edge that ends at it. */
const LEAST_SPACE = 4;

/** What takes room in a layer: a box, or an edge that passes it. */
interface Place {
  readonly top: number;
  readonly height: number;
}

/** Lays out a graph: a changed one around what stays of it, otherwise as a whole. */
export function nextLayout(request: LayoutRequest, known: LayoutAnswer | undefined): LayoutAnswer {
  const staying = request.boxes.filter(({ id }) => known !== undefined && Object.hasOwn(known.tops, id));
  const isChanged = known !== undefined && staying.length >= request.boxes.length / 2;
  return isChanged ? grownLayout(request, known) : layeredLayout(request);
}

/**
 * Lays out a graph that has changed. What was there keeps its place, so that a reader of a running trace does not lose it; a box
 * moves down only where one above it needs more room. What is new goes to the free place nearest to what calls it.
 */
function grownLayout({ id, boxes, edges }: LayoutRequest, known: LayoutAnswer): LayoutAnswer {
  const layers = new Layers();
  const layerOf = new Map(boxes.map((box) => [box.id, box.layer]));
  const tops = new Map<string, number>();
  const channels = new Map<string, number[]>();
  const knownTopOf = (box: string): number | undefined =>
    Object.hasOwn(known.tops, box) ? known.tops[box] : undefined;
  const passedBy = (edge: LayoutRequest["edges"][number]): number[] =>
    Array.from({ length: edge.layers - 1 }, (_, index) => (layerOf.get(edge.from) ?? 0) + 1 + index);

  const kept: { readonly top: number; readonly place: (layers: Layers) => void }[] = [];
  for (const { id: box, layer, height } of boxes) {
    const top = knownTopOf(box);
    if (top !== undefined)
      kept.push({ top, place: () => tops.set(box, layers.keep(layer, { top, height })) });
  }
  const newEdges = edges.filter((edge) => {
    const crossed = Object.hasOwn(known.channels, edge.id) ? known.channels[edge.id] : undefined;
    if (crossed?.length !== edge.layers - 1) return true;
    const own: number[] = [];
    channels.set(edge.id, own);
    for (const [index, layer] of passedBy(edge).entries()) {
      const top = crossed[index] ?? 0;
      kept.push({ top, place: () => (own[index] = layers.keep(layer, { top, height: 0 })) });
    }
    return false;
  });
  for (const { place } of kept.toSorted((a, b) => a.top - b.top)) place(layers);

  const heights = new Map(boxes.map((box) => [box.id, box.height]));
  const middleOf = (box: string): number => (tops.get(box) ?? MARGIN) + (heights.get(box) ?? 0) / 2;
  const callers = new Map<string, string[]>();
  for (const { from, to } of edges) callers.set(to, [...(callers.get(to) ?? []), from]);
  const newBoxes = boxes.filter((box) => knownTopOf(box.id) === undefined);
  for (const { id: box, layer, height } of newBoxes.toSorted((a, b) => a.layer - b.layer)) {
    const middles = (callers.get(box) ?? []).map(middleOf);
    const middle = middles.reduce((sum, y) => sum + y, 0) / Math.max(1, middles.length);
    tops.set(box, layers.add(layer, middle - height / 2, height));
  }
  // In the order of their ends, so that few of them cross.
  for (const edge of newEdges.toSorted((a, b) => middleOf(a.to) - middleOf(b.to))) {
    const [start, end] = [middleOf(edge.from), middleOf(edge.to)];
    const own = passedBy(edge).map((layer, index) =>
      layers.add(layer, start + ((end - start) * (index + 1)) / edge.layers, 0),
    );
    channels.set(edge.id, own);
  }
  return {
    id,
    tops: Object.fromEntries(tops),
    channels: Object.fromEntries(channels),
    height: layers.end() + MARGIN,
  };
}

/** The layers of a graph with what is placed in them, from the top. */
class Layers {
  readonly #layers = new Map<number, Place[]>();

  /** Places something that has a place already, below all that is there. */
  keep(layer: number, { top, height }: Place): number {
    const places = this.#placesOf(layer);
    const last = places.at(-1);
    const fits = last === undefined || top >= last.top + last.height + LEAST_SPACE;
    const placed = fits ? top : endOf(last);
    places.push({ top: placed, height });
    return placed;
  }

  /** Places something new as near as possible to where it is wanted. */
  add(layer: number, wanted: number, height: number): number {
    const places = this.#placesOf(layer);
    let best = { index: 0, top: Number.POSITIVE_INFINITY };
    for (let index = 0; index <= places.length; index++) {
      const first = endOf(places[index - 1]);
      const last = (places[index]?.top ?? Number.POSITIVE_INFINITY) - SPACE - height;
      if (last < first) continue;
      const top = Math.min(last, Math.max(first, wanted));
      if (Math.abs(top - wanted) < Math.abs(best.top - wanted)) best = { index, top };
    }
    places.splice(best.index, 0, { top: best.top, height });
    return best.top;
  }

  end(): number {
    return Math.max(
      0,
      ...[...this.#layers.values()].map((places) => {
        const last = places.at(-1);
        return last === undefined ? 0 : last.top + last.height;
      }),
    );
  }

  #placesOf(layer: number): Place[] {
    let places = this.#layers.get(layer);
    if (places === undefined) this.#layers.set(layer, (places = []));
    return places;
  }
}

/** Where the next one may begin. */
function endOf(place: Place | undefined): number {
  return place === undefined ? MARGIN : place.top + place.height + SPACE;
}
