import { DatabaseZap } from "lucide-react";
import { classNames } from "./class-names.js";
import iconStyles from "./icon.module.css";
import pageStyles from "./page.module.css";
import textStyles from "./text.module.css";

/** Shown when the collector is configured to keep no traces. */
export function StoreDisabled() {
  return (
    <div className={pageStyles.blank} role="status">
      <DatabaseZap className={iconStyles.icon} aria-hidden />
      <h1>The trace store is off</h1>
      <p className={textStyles.dim}>
        The collector derives metrics and keeps no traces:{" "}
        <span className={textStyles.mono}>trace_store.enabled</span> is{" "}
        <span className={textStyles.mono}>false</span>. Start it with{" "}
        <span className={textStyles.mono}>OBS_SERVER_TRACE_STORE_ENABLED=true</span> to see them here.
      </p>
      <p className={textStyles.dim}>
        Its counters are at{" "}
        <a className={classNames(textStyles.mono, textStyles.link)} href="/metrics">
          /metrics
        </a>
      </p>
    </div>
  );
}
