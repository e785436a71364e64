import { DatabaseZap } from "lucide-react";

/** The collector keeps no traces, by its configuration. */
export function StoreDisabled() {
  return (
    <div className="blank" role="status">
      <DatabaseZap className="icon" aria-hidden />
      <h1>The trace store is off</h1>
      <p className="dim">
        The collector derives metrics and keeps no traces: <span className="mono">trace_store.enabled</span>{" "}
        is <span className="mono">false</span>. Start it with{" "}
        <span className="mono">OBS_SERVER_TRACE_STORE_ENABLED=true</span> to see them here.
      </p>
      <p className="dim">
        Its counters stand at{" "}
        <a className="mono link" href="/metrics">
          /metrics
        </a>
      </p>
    </div>
  );
}
