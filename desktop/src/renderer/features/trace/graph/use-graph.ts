import {
  foldGraph,
  runGraph,
  type FoldedGraph,
  type GraphNode,
  type Run,
  type RunGraph,
} from "@obspan/collector-core/analysis";
import { useMemo } from "react";
import { useTraceNow } from "../hooks/use-trace-now.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";

/** How many nodes are drawn: above the first number servers fold. */
const LIMITS = { foldServersAbove: 40, most: 60 };
/** How often the figures of a running trace are computed again. */
const STEP_MS = 1000;
const LONG_STEP_MS = 5000;
const LONG_SPANS = 5000;

/** The graph of the open trace, as it is drawn. */
export interface GraphModel {
  readonly graph: FoldedGraph;
  /** The chosen node, otherwise the one behind which the selected span is. */
  readonly current: GraphNode | undefined;
  /** Whether there is anything to draw: two nodes that take part. */
  readonly isDrawable: boolean;
}

/** The graph of a run, as it was computed last: the view, its tools and the pane show the same. */
const computed = new WeakMap<Run, { readonly nowMs: number; readonly graph: RunGraph }>();

function computedGraph(run: Run, nowMs: number): RunGraph {
  const known = computed.get(run);
  if (known?.nowMs === nowMs) return known.graph;
  const graph = runGraph(run, nowMs);
  computed.set(run, { nowMs, graph });
  return graph;
}

export function useGraph(): GraphModel {
  const { tree, run, selected } = useTracePage();
  const chosen = useTraceView((state) => state.chosenNode);
  const kept = useTraceView((state) => state.keptNodes);
  const now = useTraceNow();
  const step = tree.nodes.length > LONG_SPANS ? LONG_STEP_MS : STEP_MS;
  const nowMs = tree.isRunning ? Math.max(tree.endMs, Math.floor(now / step) * step) : now;
  const whole = useMemo(() => computedGraph(run, nowMs), [run, nowMs]);
  const graph = useMemo(() => foldGraph(whole, LIMITS, kept), [whole, kept]);
  return useMemo(() => {
    const own = selected === undefined ? undefined : graph.nodeOf.get(selected.id);
    const id =
      chosen !== undefined && chosen.spanId === selected?.id ? chosen.id : own && graph.shownAs.get(own);
    const nodes = graph.nodes.filter(({ kind }) => kind !== "run");
    const current = graph.nodes.find((node) => node.id === id) ?? graph.nodes[0];
    return { graph, current, isDrawable: nodes.length > 1 };
  }, [graph, chosen, selected]);
}
