import { isFailure } from "@obspan/collector-core/analysis";
import type { SpanNode, SpanTree } from "@obspan/collector-core/analysis";
import { shareOf, type TimeWindow } from "./time-scale.js";

/** Size of the drawing in its own units. */
export const MINIMAP_WIDTH = 2000;
export const MINIMAP_HEIGHT = 38;

const TOP = 2;
const BAR = 2;
/** Largest distance between two spans. */
const STEP = 2;
const MIN_BAR_WIDTH = 4;

/** All spans of one colour in one path, because thousands of elements would lay out slowly. */
export interface MinimapPath {
  /** A span type, or `error`. */
  readonly kind: string;
  readonly path: string;
}

export function minimapPaths(tree: SpanTree, nowMs: number, whole: TimeWindow): MinimapPath[] {
  const paths = new Map<string, string[]>();
  const step = Math.min(STEP, (MINIMAP_HEIGHT - TOP - BAR) / Math.max(1, tree.nodes.length - 1));
  tree.nodes.forEach((node, index) => {
    const left = shareOf(whole, node.startMs) * MINIMAP_WIDTH;
    const right = shareOf(whole, node.endMs ?? nowMs) * MINIMAP_WIDTH;
    const width = Math.max(MIN_BAR_WIDTH, right - left);
    const top = TOP + index * step;
    const kind = kindOf(node);
    const pieces = paths.get(kind) ?? [];
    paths.set(kind, pieces);
    pieces.push(`M${left.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}v${BAR}h-${width.toFixed(1)}z`);
  });
  return [...paths].map(([kind, pieces]) => ({ kind, path: pieces.join("") }));
}

function kindOf({ span }: SpanNode): string {
  return isFailure(span) ? "error" : span.span_type;
}
