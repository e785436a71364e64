import { useEffect, useRef, type RefObject } from "react";
import { overlays } from "../../frame/overlays.js";
import { useTracePage } from "../trace-page-context.js";
import { ZOOM_STEP } from "../model/zoom-step.js";
import type { GraphGeometry, PlacedNode } from "./graph-geometry.js";
import type { GraphModel } from "./use-graph.js";

interface GraphKeys {
  readonly element: RefObject<HTMLElement | null>;
  readonly model: GraphModel;
  readonly geometry: GraphGeometry | undefined;
}

const DIRECTIONS = new Map(
  Object.entries({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as const),
);

/** Keys inside the graph: arrows lead to the next node in their direction. */
export function useGraphKeys({ element, model, geometry }: GraphKeys): void {
  const { view, selected, run, isNarrow } = useTracePage();
  const { graph, current } = model;
  const wasMoved = useRef(false);

  const choose = (id: string, spanId: string | undefined): true => {
    wasMoved.current = true;
    view.getState().chooseNode(id, spanId);
    return true;
  };
  function open(): true {
    const { isOverlayOpen, openOverlay, isPaneOpen, togglePane, setSpanOpen } = view.getState();
    if (isNarrow && !isOverlayOpen) openOverlay();
    else {
      if (!isNarrow && !isPaneOpen) togglePane(false);
      setSpanOpen(true);
      // The pane is rendered after this.
      requestAnimationFrame(() => document.querySelector<HTMLElement>("[role=tabpanel]")?.focus());
    }
    return true;
  }
  function step(by: 1 | -1): true {
    const at = selected === undefined ? -1 : run.steps.indexOf(selected);
    const next = run.steps[at < 0 ? 0 : at + by];
    if (next !== undefined) {
      wasMoved.current = true;
      view.getState().select(next.id);
    }
    return true;
  }
  function nextLoop(): true {
    const at = graph.loops.findIndex(({ span }) => span === selected);
    const loop = graph.loops[(at + 1) % Math.max(1, graph.loops.length)];
    return loop === undefined || choose(loop.nodeId, loop.span.id);
  }

  /** Acts on a key. @returns whether it did. */
  function act(key: string, isInside: boolean): boolean {
    const { zoomGraph } = view.getState();
    if (key === "o") return nextLoop();
    if (key === ",") return step(-1);
    if (key === ".") return step(1);
    if (key === "+" || key === "=") zoomGraph(ZOOM_STEP);
    else if (key === "-") zoomGraph(1 / ZOOM_STEP);
    else if (key === "0") zoomGraph(undefined);
    else if (!isInside) return false;
    else if (key === "Enter") return open();
    else {
      const direction = DIRECTIONS.get(key);
      if (direction === undefined) return false;
      const next = nearest(geometry, current?.id, direction);
      if (next !== undefined) choose(next.node.id, next.node.spans[0]?.id);
    }
    return true;
  }

  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  // The chosen node has the focus, if a key chose it.
  useEffect(() => {
    if (!wasMoved.current) return;
    wasMoved.current = false;
    element.current?.querySelector<HTMLElement>("[data-node][tabindex='0']")?.focus();
  }, [element, current?.id]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (overlays.getState().open !== "none" || isTyping(event.target)) return;
      if (latest.current(event.key, isInside(event.target, element.current))) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };
    // Before the keys of the page, which move between spans.
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => window.removeEventListener("keydown", onKeyDown, { capture: true });
  }, [element]);
}

/** The node that is next in a direction: near in it, and not far beside. */
function nearest(
  geometry: GraphGeometry | undefined,
  id: string | undefined,
  [dx, dy]: readonly [number, number],
): PlacedNode | undefined {
  const from = geometry?.nodes.find(({ node }) => node.id === id);
  if (geometry === undefined || from === undefined) return geometry?.nodes[0];
  let best: { readonly placed: PlacedNode; readonly far: number } | undefined;
  for (const placed of geometry.nodes) {
    const x = placed.left - from.left;
    const y = placed.top + placed.height / 2 - from.top - from.height / 2;
    const ahead = x * dx + y * dy;
    if (placed === from || ahead <= 1) continue;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    const far = ahead + 2 * aside;
    if (best === undefined || far < best.far) best = { placed, far };
  }
  return best?.placed;
}

/** Buttons outside of the nodes keep their own keys. */
function isInside(target: EventTarget | null, element: HTMLElement | null): boolean {
  if (target === document.body) return true;
  return target instanceof Element && element?.contains(target) === true;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [role=dialog]") !== null;
}
