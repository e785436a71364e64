import { buildSpanTree, readRun, type Run } from "@obspan/collector-core/analysis";
import { useMemo } from "react";
import { useTrace } from "../../../app-context.js";
import { groupEvaluations } from "../model/evaluation-group.js";
import { useTracePage } from "../trace-page-context.js";

/** The run, with the full texts of the spans that are loaded. */
export function useWholeRun(): Run {
  const { run } = useTracePage();
  const spans = useTrace((state) => state.spans);
  const whole = useTrace((state) => state.whole);
  return useMemo(() => {
    if (Object.keys(whole).length === 0) return run;
    const loaded = spans.map((span) =>
      Object.hasOwn(whole, span.span_id) ? (whole[span.span_id] ?? span) : span,
    );
    return readRun(buildSpanTree(groupEvaluations(loaded)));
  }, [run, spans, whole]);
}
