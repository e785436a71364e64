import type { SpanNode, SpanTree } from "./span-tree.js";

/** A part of the critical path, in milliseconds from the start of the trace. */
export interface Segment {
  readonly startMs: number;
  readonly endMs: number;
}

/** The parts of each span on the path, by span id. */
export type CriticalPath = ReadonlyMap<string, readonly Segment[]>;

/** A span, clipped to the time in which its parent waited for it. */
interface Stretch extends Segment {
  readonly node: SpanNode;
}

/**
 * The critical path: from the root's end backwards, always the child that ended last before the reached time, then on
 * from its start, and the parent's own time while no child runs. A span that starts after its parent ended did not
 * delay anyone and is left out. A child that outlives its parent is clipped to the parent's end.
 * In a trace with several roots, the path covers those whose parent is not missing, one after the other.
 *
 * @param nowMs - the assumed end of running spans.
 */
export function criticalPath(tree: SpanTree, nowMs: number): CriticalPath {
  const path = new Map<string, Segment[]>();
  const waiting: Stretch[] = [...startingPoints(tree, nowMs)];
  for (let stretch = waiting.pop(); stretch !== undefined; stretch = waiting.pop()) {
    const { node, startMs, endMs } = stretch;
    const own: Segment[] = [];
    let point = endMs;
    for (const child of lastFirst(node.children, startMs, endMs, nowMs)) {
      if (child.endMs > point) continue;
      if (child.endMs < point) own.push({ startMs: child.endMs, endMs: point });
      waiting.push(child);
      point = child.startMs;
    }
    if (point > startMs || (own.length === 0 && node.children.length === 0))
      own.push({ startMs, endMs: point });
    if (own.length > 0) path.set(node.id, own.toReversed());
  }
  return path;
}

function startingPoints(tree: SpanTree, nowMs: number): Stretch[] {
  const real = tree.roots.filter(
    ({ span }) => span.parent_span_id === null && span.span_type !== "evaluation",
  );
  const roots = real.length > 0 ? real : tree.roots;
  const chosen: Stretch[] = [];
  let point = Number.POSITIVE_INFINITY;
  for (const stretch of lastFirst(roots, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, nowMs)) {
    if (stretch.endMs > point) continue;
    chosen.push(stretch);
    point = stretch.startMs;
  }
  return chosen;
}

/** The spans clipped to an interval, last end first; the longer one first if the ends are equal. */
function lastFirst(nodes: readonly SpanNode[], startMs: number, endMs: number, nowMs: number): Stretch[] {
  return nodes
    .filter((node) => node.startMs < endMs || node.startMs === startMs)
    .map((node) => ({
      node,
      startMs: Math.max(node.startMs, startMs),
      endMs: Math.min(node.endMs ?? Math.max(nowMs, node.startMs), endMs),
    }))
    .filter((stretch) => stretch.endMs >= stretch.startMs)
    .toSorted((a, b) => b.endMs - a.endMs || a.startMs - b.startMs);
}
