import {
  flameOf,
  type Flame,
  type FlameFrame,
  type Measure,
  type SpanTree,
} from "@obspan/collector-core/analysis";
import { useMemo } from "react";
import { useTraceNow } from "../hooks/use-trace-now.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";

/** How often the widths of a running trace are computed again; of a long one less often, because that takes longer. */
const STEP_MS = 500;
const LONG_STEP_MS = 5000;
const LONG_SPANS = 5000;

/** The frames of the open trace. */
export interface FlameModel {
  readonly flame: Flame;
  readonly measure: Measure;
  /** The frame of the selected span. */
  readonly selected: FlameFrame | undefined;
  /** The frame with the full width; undefined for the whole run. */
  readonly base: FlameFrame | undefined;
}

/** The frames of a tree, as they were computed last: the view and the pane show the same. */
interface Computed {
  readonly nowMs: number;
  readonly mergesRepeats: boolean;
  readonly flame: Flame;
}
const computed = new WeakMap<SpanTree, Computed>();

function computedFlame(tree: SpanTree, nowMs: number, mergesRepeats: boolean): Flame {
  const known = computed.get(tree);
  if (known?.nowMs === nowMs && known.mergesRepeats === mergesRepeats) return known.flame;
  const flame = flameOf(tree, { nowMs, mergesRepeats });
  computed.set(tree, { nowMs, mergesRepeats, flame });
  return flame;
}

export function useFlame(): FlameModel {
  const { tree, selected } = useTracePage();
  const measure = useTraceView((state) => state.flame.measure);
  const mergesRepeats = useTraceView((state) => state.flame.mergesRepeats);
  const zoomedTo = useTraceView((state) => state.flame.zoomedTo);
  const now = useTraceNow();
  const step = tree.nodes.length > LONG_SPANS ? LONG_STEP_MS : STEP_MS;
  const nowMs = tree.isRunning ? Math.max(tree.endMs, Math.floor(now / step) * step) : now;
  const flame = useMemo(() => computedFlame(tree, nowMs, mergesRepeats), [tree, nowMs, mergesRepeats]);
  return useMemo(() => {
    const frame = selected === undefined ? undefined : flame.frameOf.get(selected.id);
    const base = zoomedTo === undefined ? undefined : flame.frameOf.get(zoomedTo);
    return { flame, measure, selected: frame ?? flame.roots[0], base };
  }, [flame, measure, selected, zoomedTo]);
}

/** The frames from a root to a frame. */
export function framesTo(frame: FlameFrame | undefined): FlameFrame[] {
  const path: FlameFrame[] = [];
  for (let at = frame; at !== undefined; at = at.parent) path.push(at);
  return path.toReversed();
}
