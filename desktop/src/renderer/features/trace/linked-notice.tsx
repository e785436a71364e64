import { useTrace } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { isLoadedInPart } from "../../store/trace-store.js";
import { useTracePage, useTraceView } from "./trace-page-context.js";
import styles from "./trace-states.module.css";

/** Explains why a linked span is not in the view beside it, or that there is no such span. */
export function LinkedNotice() {
  const { tree, linked } = useTracePage();
  const spanId = useTraceView((state) => state.spanId);
  const shown = useTrace((state) => state.spans.length);
  const isMissing = spanId !== undefined && !tree.byId.has(spanId) && linked === undefined;
  const isCut = useTrace(isLoadedInPart);
  const error = useTrace(({ wholeErrors }) =>
    isMissing && Object.hasOwn(wholeErrors, spanId) ? wholeErrors[spanId] : undefined,
  );
  // Of a trace that is shown in part, only the collector knows.
  if (linked === undefined && (!isMissing || (isCut && error === undefined))) return null;
  return (
    <div className={styles.stale} role="status">
      {linked !== undefined
        ? `The linked span is not among the first ${formatWhole(shown)} spans, which are shown. Its data is shown by itself; steps, costs and views do not count it.`
        : error === undefined || error.code === "trace_not_found"
          ? "The linked span is not in this trace: it was dropped, or has not arrived yet."
          : `The linked span could not be read: ${error.message}`}
    </div>
  );
}
