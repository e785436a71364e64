import { ChartLine } from "lucide-react";
import { Link } from "wouter";
import type { CollectorError } from "../../api/collector-api.js";
import type { StatsView } from "../../store/stats-store.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import panelStyles from "../../components/panel.module.css";
import statusDotStyles from "../../components/status-dot.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./metrics-states.module.css";
import panelsStyles from "./panels.module.css";

/** Nine empty panels until the first data arrives. */
export function MetricsLoading() {
  return (
    <div className={classNames(panelsStyles.panels, panelsStyles.loading)} role="status" aria-label="Loading">
      {Array.from({ length: 9 }, (_, index) => (
        <div className={panelStyles.panel} key={index} />
      ))}
    </div>
  );
}

interface MetricsErrorProps {
  readonly error: CollectorError;
  readonly hasPanels: boolean;
  readonly onRetry: () => void;
}

/** Reports a failed request above the last data. */
export function MetricsError({ error, hasPanels, onRetry }: MetricsErrorProps) {
  return (
    <div
      className={hasPanels ? styles.metricsError : classNames(styles.metricsError, styles.alone)}
      role="alert"
    >
      <i className={statusDotStyles.error} aria-hidden />
      <span>
        {error.message} {hasPanels && "The last known data is shown."}
      </span>
      <button type="button" className={classNames(buttonStyles.button, buttonStyles.small)} onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

interface NothingYetProps {
  readonly view: StatsView;
  readonly onWiden: (view: StatsView) => void;
}

/** Empty state: no spans in the time range, or none that match. */
export function NothingYet({ view, onWiden }: NothingYetProps) {
  const isFiltered = Object.keys(view.filters).length > 0;
  return (
    <div className={pageStyles.blank}>
      <ChartLine className={iconStyles.icon} aria-hidden />
      <h2>{isFiltered ? "No span matches" : `No span in the last ${view.window.replace(/(\d+)/, "$1 ")}`}</h2>
      <p className={textStyles.dim}>
        {isFiltered
          ? "The filters match no span in this time range."
          : "Every span that arrives is counted here, whether its trace is sampled or not."}
      </p>
      <p className={styles.actions}>
        {isFiltered && (
          <button
            type="button"
            className={buttonStyles.button}
            onClick={() => onWiden({ ...view, filters: {} })}
          >
            Clear filters
          </button>
        )}
        {view.window !== "24h" && (
          <button
            type="button"
            className={buttonStyles.button}
            onClick={() => onWiden({ ...view, window: "24h" })}
          >
            Show 24 h
          </button>
        )}
        {!isFiltered && (
          <Link className={buttonStyles.button} href="/traces">
            How to send spans
          </Link>
        )}
      </p>
    </div>
  );
}
