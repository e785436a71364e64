import { GitCompare, SearchX } from "lucide-react";
import { Link } from "wouter";
import type { TraceKey } from "../../api/collector-api.js";
import { useComparison, useStores } from "../../app-context.js";
import { PageLoading, SPAN_BARS } from "../../components/page-loading.js";
import { RequestFailed } from "../../components/request-failed.js";
import { traceHref } from "../trace/trace-address.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import traceStateStyles from "../trace/trace-states.module.css";

/** Loading state. */
export function CompareLoading() {
  return <PageLoading label="Comparing the runs" head={[420, 620]} {...SPAN_BARS} />;
}

/** There is nothing to compare a run with. */
export function CompareAlone({ run, versus }: { run?: TraceKey; versus?: "prompt" | undefined }) {
  const title =
    versus === "prompt" ? "No earlier run with another version of its prompt" : "No earlier run of this name";
  return (
    <div className={pageStyles.blank} role="status">
      <GitCompare className={iconStyles.icon} aria-hidden />
      <h1>{run === undefined ? "No runs to compare" : title}</h1>
      <p className={textStyles.dim}>
        Select two traces in the list and press C, or press C on a trace that has an earlier run.
      </p>
      <Link href={run === undefined ? "/traces" : traceHref(run)} className={buttonStyles.button}>
        {run === undefined ? "Back to the traces" : "Back to the trace"}
      </Link>
    </div>
  );
}

/** Error state of the page. */
export function CompareFailed() {
  const { compare } = useStores();
  const error = useComparison((state) => state.error);
  if (error?.code === "trace_not_found")
    return (
      <div className={pageStyles.blank}>
        <SearchX className={iconStyles.icon} aria-hidden />
        <h1>One of the runs is gone</h1>
        <p className={textStyles.dim}>{error.message}</p>
        <Link href="/traces" className={buttonStyles.button}>
          Back to the traces
        </Link>
      </div>
    );
  return (
    <RequestFailed
      title="The runs could not be compared"
      isPage
      error={error}
      retry={() => void compare.getState().refresh()}
      loading={<CompareLoading />}
    />
  );
}

/** Explains why the comparison is not up to date, or not whole. */
export function StaleComparison() {
  const error = useComparison((state) => state.error);
  const isWhole = useComparison(({ comparison }) => comparison?.has_all_texts ?? true);
  const text = noticeOf(error);
  if (text === undefined && isWhole) return null;
  return (
    <div className={traceStateStyles.stale} role="status">
      {text ??
        "These runs have more text than is compared at once. Steps that look equal may differ in their texts: select one to compare it whole."}
    </div>
  );
}

function noticeOf(
  error: { readonly code: string; readonly message: string } | undefined,
): string | undefined {
  if (error === undefined || error.code === "unreachable" || error.code === "unauthorized") return undefined;
  return error.code === "trace_not_found"
    ? "One of the runs was deleted or evicted. Its last known state is shown."
    : `The comparison could not be refreshed: ${error.message}`;
}
