import { MessagesSquare, SearchX } from "lucide-react";
import type { CollectorError } from "../../api/collector-api.js";
import { useConnection, useStores } from "../../app-context.js";
import { CopyButton } from "../../components/copy-button.js";
import { RequestFailed } from "../../components/request-failed.js";
import { formatWhole } from "../../format.js";
import { classNames } from "../../components/class-names.js";
import { ICON_BUTTON } from "../../components/icon-button-class.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import listStyles from "../traces/list-states.module.css";

/** Widths of the placeholder rows. */
const BARS = [62, 48, 71, 55, 80, 44, 66, 52];

/** Loading state of the list. */
export function LoadingSessions() {
  return (
    <div
      className={classNames(tableStyles.table, listStyles.loading)}
      role="status"
      aria-label="Loading sessions"
    >
      <div className={classNames(tableStyles.row, tableStyles.head)} />
      {BARS.map((width, index) => (
        <div className={tableStyles.row} key={index}>
          <i className={classNames(listStyles.bone, listStyles.dotBone)} />
          <i className={listStyles.bone} style={{ width: 60 + width }} />
          <i className={listStyles.bone} style={{ width: `${width}%` }} />
          <i className={listStyles.bone} style={{ width: 30 + width }} />
        </div>
      ))}
    </div>
  );
}

const SNIPPET = "setSession(id); setUser(id)";

/** Empty state: no trace names a session. */
export function NoSession() {
  const stored = useConnection(({ status }) => status?.store?.traces ?? 0);
  return (
    <div className={pageStyles.blank} role="status">
      <MessagesSquare className={iconStyles.icon} aria-hidden />
      <h2>No trace has a session_id</h2>
      <p className={textStyles.dim}>
        {stored === 0
          ? "A session is the traces with one session_id. Set it where the run starts."
          : `${formatWhole(stored)} ${stored === 1 ? "trace is" : "traces are"} stored without one. Set it where the run starts.`}
      </p>
      <span className={classNames(pageStyles.command, textStyles.mono)}>
        {SNIPPET}
        <CopyButton text={SNIPPET} name="Copy the calls" className={ICON_BUTTON} />
      </span>
      <p className={classNames(textStyles.faint, textStyles.note)}>
        OpenTelemetry: set <span className={textStyles.mono}>gen_ai.conversation.id</span> or{" "}
        <span className={textStyles.mono}>session.id</span> on a span of the run.
      </p>
    </div>
  );
}

/** Empty state: no session matches the filters. */
export function NoSessionMatches({ onClear }: { onClear: () => void }) {
  return (
    <div className={pageStyles.blank} role="status">
      <SearchX className={iconStyles.icon} aria-hidden />
      <h2>No session matches</h2>
      <p className={textStyles.dim}>New matches appear here.</p>
      <button type="button" className={buttonStyles.button} onClick={onClear}>
        Clear filters
      </button>
    </div>
  );
}

/** Error state of the list. */
export function SessionsError({ error }: { error: CollectorError }) {
  const { sessions } = useStores();
  return (
    <RequestFailed
      title="The sessions could not be fetched"
      error={error}
      retry={() => void sessions.getState().load()}
      loading={<LoadingSessions />}
    />
  );
}
