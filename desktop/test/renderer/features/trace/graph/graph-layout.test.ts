import { describe, expect, it } from "vitest";
import { nextLayout } from "../../../../../src/renderer/features/trace/graph/grown-layout.js";
import type {
  LayoutAnswer,
  LayoutRequest,
} from "../../../../../src/renderer/features/trace/graph/layout-messages.js";

type Box = LayoutRequest["boxes"][number];
type Edge = LayoutRequest["edges"][number];

const caller = (id: string, layer: number): Box => ({ id, layer, height: 84 });
const target = (id: string, layer: number, height = 28): Box => ({ id, layer, height });
const edge = (from: string, to: string, layers = 1): Edge => ({ id: `${from} ${to}`, from, to, layers });

/** That no box of a layer is over another one, or over an edge that passes. */
function expectNoOverlap({ boxes, edges }: LayoutRequest, { tops, channels, height }: LayoutAnswer): void {
  const layerOf = new Map(boxes.map(({ id, layer }) => [id, layer]));
  const taken = boxes.map(({ id, layer, height: own }) => ({ layer, top: tops[id] ?? NaN, height: own }));
  for (const { id, from, layers } of edges) {
    expect(channels[id]).toHaveLength(layers - 1);
    for (const [index, top] of (channels[id] ?? []).entries())
      taken.push({ layer: (layerOf.get(from) ?? 0) + 1 + index, top, height: 0 });
  }
  const ordered = taken.toSorted((a, b) => a.layer - b.layer || a.top - b.top);
  for (const [index, place] of ordered.entries()) {
    const above = ordered[index - 1];
    expect(place.top).toBeGreaterThanOrEqual(17.5);
    if (above?.layer === place.layer) expect(place.top).toBeGreaterThanOrEqual(above.top + above.height + 4);
    expect(place.top + place.height).toBeLessThan(height);
  }
}

const BOXES = [
  caller("main", 0),
  caller("sub", 1),
  target("model", 2),
  target("tool", 2),
  target("mcp", 2, 78),
];
const EDGES = [
  edge("main", "sub"),
  edge("main", "model", 2),
  edge("main", "tool", 2),
  edge("sub", "tool"),
  edge("sub", "mcp"),
];
const START: LayoutRequest = { id: 1, boxes: BOXES, edges: EDGES };

describe("the layout of a graph that grows", () => {
  it("keeps every box and edge where it was, and puts new ones into free places", () => {
    const first = nextLayout(START, undefined);
    expectNoOverlap(START, first);
    const request = {
      id: 2,
      boxes: [...BOXES, target("refund", 2), caller("policy", 1)],
      edges: [...EDGES, edge("main", "policy"), edge("policy", "refund"), edge("main", "refund", 2)],
    };
    const grown = nextLayout(request, first);
    expectNoOverlap(request, grown);
    expect(grown.id).toBe(2);
    expect(grown.tops).toMatchObject(first.tops);
    expect(grown.channels).toMatchObject(first.channels);
  });

  it("moves nothing for the few pixels that one more edge needs", () => {
    const first = nextLayout(START, undefined);
    const boxes = BOXES.map((box) => ({ ...box, height: box.height + 2 }));
    expect(nextLayout({ ...START, boxes }, first).tops).toEqual(first.tops);
  });

  it("moves down only what is below a box that needs more room", () => {
    const first = nextLayout(START, undefined);
    const order = ["model", "tool", "mcp"].toSorted((a, b) => (first.tops[a] ?? 0) - (first.tops[b] ?? 0));
    const [above = "", middle = "", below = ""] = order;
    const boxes = BOXES.map((box) => (box.id === middle ? { ...box, height: box.height + 200 } : box));
    const grown = nextLayout({ ...START, boxes }, first);
    expectNoOverlap({ ...START, boxes }, grown);
    for (const id of ["main", "sub", above, middle]) expect(grown.tops[id]).toBe(first.tops[id]);
    expect(grown.tops[below]).toBeGreaterThan(first.tops[below] ?? 0);
  });

  it("keeps heights where a hand-off adds a layer, and lays out anew what it does not know", () => {
    const first = nextLayout(START, undefined);
    const deeper = (box: Box): Box => (box.layer === 2 ? { ...box, layer: 3 } : box);
    const request = {
      id: 3,
      boxes: [...BOXES.map(deeper), caller("subsub", 2)],
      edges: [
        ...EDGES.map((known) => (known.to === "sub" ? known : { ...known, layers: known.layers + 1 })),
        edge("sub", "subsub"),
        edge("subsub", "tool"),
      ],
    };
    const grown = nextLayout(request, first);
    expectNoOverlap(request, grown);
    expect(grown.tops).toMatchObject(first.tops);
    const other = { ...START, boxes: BOXES.map((box) => ({ ...box, id: `${box.id}2` })), edges: [] };
    expect(nextLayout(other, first)).toEqual(nextLayout(other, undefined));
  });

  it("holds while a run grows box by box", () => {
    let known: LayoutAnswer | undefined;
    for (let count = 1; count <= 60; count++) {
      const boxes = Array.from({ length: count }, (_, index) =>
        index % 7 === 0 ? caller(`a${index}`, index === 0 ? 0 : 1) : target(`t${index}`, 2),
      );
      const edges = boxes.slice(1).map(({ id, layer }, index) => {
        const from = layer === 1 || index % 3 === 0 ? "a0" : `a${index - (index % 7)}`;
        return edge(from, id, from === "a0" ? layer : 1);
      });
      const request = { id: count, boxes, edges };
      const next: LayoutAnswer = nextLayout(request, known);
      expectNoOverlap(request, next);
      if (known !== undefined) expect(next.tops).toMatchObject(known.tops);
      known = next;
    }
  });
});
