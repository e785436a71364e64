import { CircleAlert, SearchX } from "lucide-react";
import type { CollectorError } from "../../api/collector-api.js";
import { useStores } from "../../app-context.js";
import { StoreDisabled } from "../../components/store-disabled.js";

/** Rows that stand in while the first page is fetched. */
const BARS = [62, 48, 71, 55, 80, 44, 66, 52];

/** The list before its first page has come. */
export function LoadingList() {
  return (
    <div className="table loading" role="status" aria-label="Loading traces">
      <div className="tr head" />
      {BARS.map((width, index) => (
        <div className="tr" key={index}>
          <i className="bone dot-bone" />
          <i className="bone" style={{ width: 90 + width }} />
          <i className="bone" style={{ width: `${width}%` }} />
          <i className="bone" style={{ width: 30 + width }} />
        </div>
      ))}
    </div>
  );
}

/** The filters choose nothing. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <div className="blank" role="status">
      <SearchX className="icon" aria-hidden />
      <h2>No trace matches</h2>
      <p className="dim">New ones appear here as soon as they match.</p>
      <button type="button" className="btn" onClick={onClear}>
        Clear filters
      </button>
    </div>
  );
}

/** The list could not be fetched. */
export function ListError({ error }: { error: CollectorError }) {
  const { traces } = useStores();
  if (error.code === "trace_store_disabled") return <StoreDisabled />;
  // Signed in since: they are on their way.
  if (error.code === "unauthorized") return <LoadingList />;
  return (
    <div className="blank" role="alert">
      <CircleAlert className="icon is-error" aria-hidden />
      <h2>The traces could not be fetched</h2>
      <p className="dim">{error.message}</p>
      <p className="mono faint">{error.code}</p>
      <button type="button" className="btn" onClick={() => void traces.getState().load()}>
        Try again
      </button>
    </div>
  );
}
