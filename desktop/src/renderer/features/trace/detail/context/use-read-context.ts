import { isOneCall } from "@obspan/collector-core/analysis";
import { useEffect, useMemo } from "react";
import { useStores, useTrace } from "../../../../app-context.js";
import { useTraceView } from "../../trace-page-context.js";
import { useSpanDetail } from "../span-detail-context.js";

/** Delay, so that moving with the arrow keys does not read every context; longer while the tab only shows its findings. */
const SETTLE_MS = { open: 150, closed: 600 };

/** Reads the context of the selected model call, before its tab is opened: the tab has the number of its findings. */
export function useReadContext(): void {
  const { node, span } = useSpanDetail();
  const { context: store } = useStores();
  const traceId = useTrace((state) => state.traceId);
  const tenant = useTrace((state) => state.tenant);
  const isOpen = useTraceView((state) => state.tab === "context");
  const isCall = useMemo(() => isOneCall(node), [node]);
  const version = `${span.status} ${span.duration_ms}`;
  useEffect(() => {
    if (!isCall || traceId === undefined) return;
    const { spanId, context } = store.getState();
    if (isOpen && spanId === span.span_id && context?.span_id === spanId) return;
    const read = (): void => void store.getState().open({ traceId, tenant }, span.span_id);
    const timer = setTimeout(read, isOpen ? SETTLE_MS.open : SETTLE_MS.closed);
    return () => clearTimeout(timer);
    // Again when the call ends.
  }, [store, traceId, tenant, span.span_id, isCall, isOpen, version]);
}
