import { buildSpanTree, type SpanNode, type SpanTree } from "@obspan/collector-core/analysis";
import { useEffect, useMemo } from "react";
import { useStores, useTrace } from "../../../app-context.js";
import { isLoadedInPart } from "../../../store/trace-store.js";

/**
 * A span that a link names and that is not among the shown ones, once it is loaded. It has its place in time, but not in the
 * tree: the spans around it are not there.
 */
export function useLinkedSpan(tree: SpanTree, spanId: string | undefined): SpanNode | undefined {
  const { trace } = useStores();
  const missing = spanId === undefined || tree.byId.has(spanId) ? undefined : spanId;
  const span = useTrace(({ whole }) =>
    missing !== undefined && Object.hasOwn(whole, missing) ? whole[missing] : undefined,
  );
  // If all spans are shown, it is in none.
  const isCut = useTrace(isLoadedInPart);
  const isAsked = isCut && missing !== undefined && span === undefined;
  useEffect(() => {
    if (isAsked) void trace.getState().loadWhole(missing);
  }, [trace, missing, isAsked]);
  return useMemo(() => {
    if (span === undefined) return undefined;
    const [first] = tree.nodes;
    const spans = first === undefined ? [span] : [first.span, { ...span, parent_span_id: null }];
    return buildSpanTree(spans).byId.get(span.span_id);
  }, [tree, span]);
}
