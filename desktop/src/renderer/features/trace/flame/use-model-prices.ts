import { isOneCall, textOf } from "@obspan/collector-core/analysis";
import type { ModelPrices } from "@obspan/collector-core/api-schema";
import { useEffect, useMemo } from "react";
import { useContextOfCall, useStores, useTrace } from "../../../app-context.js";
import { useTracePage } from "../trace-page-context.js";

/** The prices of the models of the trace, which are read while they are shown. */
export function useModelPrices(isShown: boolean): ReadonlyMap<string, ModelPrices> {
  const { context } = useStores();
  const { run } = useTracePage();
  const traceId = useTrace((state) => state.traceId);
  const tenant = useTrace((state) => state.tenant);
  const calls = useMemo(() => {
    const first = new Map<string, string>();
    for (const { node } of run.calls) {
      const model = textOf(node.span, "model");
      if (model !== undefined && isOneCall(node) && !first.has(model)) first.set(model, node.id);
    }
    return first;
  }, [run]);
  useEffect(() => {
    if (isShown && traceId !== undefined) void context.getState().findPrices({ traceId, tenant }, calls);
  }, [context, isShown, traceId, tenant, calls]);
  return useContextOfCall((state) => state.prices);
}
