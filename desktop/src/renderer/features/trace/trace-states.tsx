import { SearchX } from "lucide-react";
import { Link } from "wouter";
import { useStores, useTrace } from "../../app-context.js";
import { RequestFailed } from "../../components/request-failed.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import { KeptKeys } from "../frame/kept-keys.js";
import { useBackToList } from "./hooks/use-back-to-list.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./trace-states.module.css";

/** Widths of the placeholder bars, in per cent. */
const BARS = [96, 34, 22, 41, 63, 18, 52, 29];

/** Loading state; the bars are not animated. */
export function TraceLoading() {
  const goBack = useBackToList();
  return (
    <div className={styles.traceLoading} role="status">
      <KeptKeys onEscape={goBack} />
      <span className={textStyles.screenReader}>Loading the trace</span>
      <div className={styles.ghostHead}>
        <i style={{ width: 220 }} />
        <i style={{ width: 520 }} />
      </div>
      {BARS.map((width, index) => (
        <div key={width} className={styles.ghostRow} style={{ paddingLeft: 16 + (index % 3) * 16 }}>
          <i style={{ width: 140 }} />
          <i style={{ width: `${width / 2}%` }} />
        </div>
      ))}
    </div>
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
