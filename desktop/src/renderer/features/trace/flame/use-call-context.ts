import { isOneCall, type SpanNode } from "@obspan/collector-core/analysis";
import type { CallContext } from "@obspan/collector-core/api-schema";
import { useEffect } from "react";
import { useContextOfCall, useStores, useTrace } from "../../../app-context.js";

/** Moving between frames does not read every context. */
const SETTLE_MS = 150;

/** The context of a model call, which has the prices of its model; undefined until it was read. */
export function useCallContext(node: SpanNode | undefined): CallContext | undefined {
  const { context: store } = useStores();
  const traceId = useTrace((state) => state.traceId);
  const tenant = useTrace((state) => state.tenant);
  const context = useContextOfCall((state) => state.context);
  const spanId = node !== undefined && isOneCall(node) ? node.id : undefined;
  useEffect(() => {
    if (spanId === undefined || traceId === undefined) return;
    if (store.getState().context?.span_id === spanId) return;
    const timer = setTimeout(() => void store.getState().open({ traceId, tenant }, spanId), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [store, traceId, tenant, spanId]);
  return context?.span_id === spanId ? context : undefined;
}
