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
 * The critical path: from the root's end backwards, at each point the child that is running there, clipped to the point, and
 * on from its start. Of several children the one that started last counts. Where no child runs, it is the parent's own time.
 * A span that starts after its parent ended did not delay anyone and is left out, and so is one that takes no time. A child
 * that outlives its parent is clipped to the parent's end. In a trace with several roots, the path covers those whose parent
 * is not missing in the same way.
 *
 * @param nowMs - the assumed end of running spans.
 */
export function criticalPath(tree: SpanTree, nowMs: number): CriticalPath {
  const path = new Map<string, Segment[]>();
  const waiting = walkBack(startingPoints(tree), EVER, nowMs).chosen;
  for (let stretch = waiting.pop(); stretch !== undefined; stretch = waiting.pop()) {
    const { chosen, gaps } = walkBack(stretch.node.children, stretch, nowMs);
    if (gaps.length > 0) path.set(stretch.node.id, gaps.toReversed());
    // Not spread: there may be more children than arguments.
    for (const child of chosen) waiting.push(child);
  }
  return path;
}

const EVER: Segment = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };

function startingPoints({ roots }: SpanTree): readonly SpanNode[] {
  const real = roots.filter(({ span }) => span.parent_span_id === null && span.span_type !== "evaluation");
  return real.length > 0 ? real : roots;
}

/** The spans on the path inside an interval, and the gaps in which none of them runs; both from the end backwards. */
function walkBack(
  nodes: readonly SpanNode[],
  within: Segment,
  nowMs: number,
): { readonly chosen: Stretch[]; readonly gaps: Segment[] } {
  const stretches = lastStartFirst(nodes, within, nowMs);
  const latestEnds = latestEndsFrom(stretches);
  const chosen: Stretch[] = [];
  const gaps: Segment[] = [];
  let point = within.endMs;
  for (const [index, stretch] of stretches.entries()) {
    if (stretch.startMs >= point) continue;
    // Nobody runs at the point: the path goes on at the latest end before it.
    const latestEnd = latestEnds[index] ?? point;
    if (latestEnd < point) {
      gaps.push({ startMs: latestEnd, endMs: point });
      point = latestEnd;
    }
    // One that has ended before the point cannot be on the path later: a running one started before it.
    if (stretch.endMs < point) continue;
    chosen.push({ ...stretch, endMs: point });
    point = stretch.startMs;
  }
  if (point > within.startMs) gaps.push({ startMs: within.startMs, endMs: point });
  return { chosen, gaps };
}

/** The spans clipped to an interval, the last start first; the longer one first if the starts are equal. */
function lastStartFirst(nodes: readonly SpanNode[], within: Segment, nowMs: number): Stretch[] {
  return nodes
    .map((node) => ({
      node,
      startMs: Math.max(node.startMs, within.startMs),
      endMs: Math.min(node.endMs ?? Math.max(nowMs, node.startMs), within.endMs),
    }))
    .filter((stretch) => stretch.endMs > stretch.startMs)
    .toSorted((a, b) => b.startMs - a.startMs || b.endMs - a.endMs);
}

/** For each stretch, the latest end of it and of those after it. */
function latestEndsFrom(stretches: readonly Stretch[]): number[] {
  const latest = stretches.map(({ endMs }) => endMs);
  for (let index = latest.length - 2; index >= 0; index--)
    latest[index] = Math.max(latest[index] ?? 0, latest[index + 1] ?? 0);
  return latest;
}
