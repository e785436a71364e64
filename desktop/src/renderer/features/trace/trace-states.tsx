import { SearchX } from "lucide-react";
import { Link } from "wouter";
import { useStores, useTrace } from "../../app-context.js";
import { PageLoading, SPAN_BARS } from "../../components/page-loading.js";
import { RequestFailed } from "../../components/request-failed.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import { KeptKeys } from "../frame/kept-keys.js";
import { useBackToList } from "./hooks/use-back-to-list.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./trace-states.module.css";

/** Loading state. */
export function TraceLoading() {
  const goBack = useBackToList();
  return (
    <PageLoading label="Loading the trace" head={[220, 520]} {...SPAN_BARS}>
      <KeptKeys onEscape={goBack} />
    </PageLoading>
  );
}

/** Error state of the trace page. */
export function TraceMissing() {
  const { trace } = useStores();
  const error = useTrace((state) => state.error);
  const traceId = useTrace((state) => state.traceId);
  const tenant = useTrace((state) => state.tenant ?? "");
  if (error?.code === "trace_not_found") {
    return (
      <div className={pageStyles.blank}>
        <SearchX className={iconStyles.icon} aria-hidden />
        <h1>No such trace</h1>
        <p className={textStyles.dim}>
          This trace is not in the store: it was never received, or was evicted.
        </p>
        <p className={classNames(textStyles.mono, textStyles.faint, textStyles.break)}>{traceId}</p>
        {tenant !== "" && (
          <p className={textStyles.faint}>
            of tenant <span className={textStyles.mono}>{tenant}</span>
          </p>
        )}
        <Link href="/traces" className={buttonStyles.button}>
          Back to the traces
        </Link>
      </div>
    );
  }
  return (
    <RequestFailed
      title="The trace could not be read"
      isPage
      error={error}
      retry={() => void trace.getState().refresh()}
      loading={<TraceLoading />}
    />
  );
}

/** Explains why the shown trace is no longer updated. */
export function StaleNotice() {
  const error = useTrace((state) => state.error);
  if (error === undefined || error.code === "unreachable" || error.code === "unauthorized") return null;
  const text =
    error.code === "trace_not_found"
      ? "This trace was deleted or evicted. Its last known state is shown."
      : `The trace could not be refreshed: ${error.message}`;
  return (
    <div className={styles.stale} role="status">
      {text}
    </div>
  );
}
