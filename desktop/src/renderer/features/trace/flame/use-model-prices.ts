import type { ModelPrices } from "@obspan/collector-core/api-schema";
import { useEffect, useMemo } from "react";
import { textOf } from "@obspan/collector-core/analysis";
import { usePrices, useStores } from "../../../app-context.js";
import { useTracePage } from "../trace-page-context.js";

/** The prices of the models of the trace, which are asked for while they are shown. Null: the collector has none. */
export function useModelPrices(isShown = true): ReadonlyMap<string, ModelPrices | null> {
  const { prices } = useStores();
  const { run } = useTracePage();
  const models = useMemo(
    () => new Set(run.calls.flatMap(({ node }) => textOf(node.span, "model") ?? [])),
    [run],
  );
  useEffect(() => {
    if (isShown) void prices.getState().find(models);
  }, [prices, isShown, models]);
  return usePrices(({ byModel }) => byModel);
}
