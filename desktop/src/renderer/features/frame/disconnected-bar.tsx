import { useConnection } from "../../app-context.js";
import { formatTime } from "../../format.js";
import alertBarStyles from "../../components/alert-bar.module.css";
import statusDotStyles from "../../components/status-dot.module.css";
import textStyles from "../../components/text.module.css";

/** Reports a lost connection and the retry; the shown data stays readable. */
export function DisconnectedBar() {
  const link = useConnection((connection) => connection.link);
  const lostAtMs = useConnection((connection) => connection.lostAtMs);
  if (link !== "disconnected") return null;
  const since = lostAtMs === undefined ? "" : ` since ${formatTime(new Date(lostAtMs).toISOString())}`;
  return (
    <div className={alertBarStyles.bar} role="status">
      <i className={statusDotStyles.error} aria-hidden />
      <span>
        The collector at <span className={textStyles.mono}>{window.location.host}</span> does not answer.
        Retrying every second{since}; the shown data stays.
      </span>
    </div>
  );
}
