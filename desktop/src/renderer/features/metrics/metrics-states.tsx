import { ChartLine } from "lucide-react";
import { Link } from "wouter";
import type { CollectorError } from "../../api/collector-api.js";
import type { StatsView } from "../../store/stats-store.js";

/** Nine panels keep their place while the first figures come. */
export function MetricsLoading() {
  return (
    <div className="panels loading" role="status" aria-label="Loading">
      {Array.from({ length: 9 }, (_, index) => (
        <div className="panel" key={index} />
      ))}
    </div>
  );
}

interface MetricsErrorProps {
  readonly error: CollectorError;
  readonly hasPanels: boolean;
  readonly onRetry: () => void;
}

/** What is shown stays, and this says that it is not the newest. */
export function MetricsError({ error, hasPanels, onRetry }: MetricsErrorProps) {
  return (
    <div className={hasPanels ? "metrics-error" : "metrics-error alone"} role="alert">
      <i className="dot error" aria-hidden />
      <span>
        {error.message} {hasPanels && "What is shown is the last that it said."}
      </span>
      <button type="button" className="btn sm" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

interface NothingYetProps {
  readonly view: StatsView;
  readonly onWiden: (view: StatsView) => void;
}

/** No span in the window: none at all, or none that the filters choose. */
export function NothingYet({ view, onWiden }: NothingYetProps) {
  const isFiltered = Object.keys(view.filters).length > 0;
  return (
    <div className="blank">
      <ChartLine className="icon" aria-hidden />
      <h2>{isFiltered ? "No span matches" : `No span in the last ${view.window.replace(/(\d+)/, "$1 ")}`}</h2>
      <p className="dim">
        {isFiltered
          ? "The filters choose none of the spans in this time range."
          : "Every span that arrives is counted here, whether its trace is sampled or not."}
      </p>
      <p className="acts">
        {isFiltered && (
          <button type="button" className="btn" onClick={() => onWiden({ ...view, filters: {} })}>
            Clear filters
          </button>
        )}
        {view.window !== "24h" && (
          <button type="button" className="btn" onClick={() => onWiden({ ...view, window: "24h" })}>
            Show 24 h
          </button>
        )}
        {!isFiltered && (
          <Link className="btn" href="/traces">
            How to send spans
          </Link>
        )}
      </p>
    </div>
  );
}
