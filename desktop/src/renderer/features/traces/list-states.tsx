import { Inbox, SearchX } from "lucide-react";
import type { CollectorError } from "../../api/collector-api.js";
import { useConnection, useStores } from "../../app-context.js";
import { isInMemory } from "../../components/store-words.js";
import { formatTime } from "../../format.js";
import { RequestFailed } from "../../components/request-failed.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import tableStyles from "../../components/table.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./list-states.module.css";

/** Widths of the placeholder rows. */
const BARS = [62, 48, 71, 55, 80, 44, 66, 52];

/** Loading state of the list. */
export function LoadingList() {
  return (
    <div className={classNames(tableStyles.table, styles.loading)} role="status" aria-label="Loading traces">
      <div className={classNames(tableStyles.row, tableStyles.head)} />
      {BARS.map((width, index) => (
        <div className={tableStyles.row} key={index}>
          <i className={classNames(styles.bone, styles.dotBone)} />
          <i className={styles.bone} style={{ width: 90 + width }} />
          <i className={styles.bone} style={{ width: `${width}%` }} />
          <i className={styles.bone} style={{ width: 30 + width }} />
        </div>
      ))}
    </div>
  );
}

/** Empty state: no trace matches the filters, or the collector has none. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  const isEmpty = useConnection(({ link, status }) => link === "live" && status?.store?.traces === 0);
  return (
    <div className={pageStyles.blank} role="status">
      {isEmpty ? (
        <EmptyCollector />
      ) : (
        <>
          <SearchX className={iconStyles.icon} aria-hidden />
          <h2>No trace matches</h2>
        </>
      )}
      <p className={textStyles.dim}>New matches appear here.</p>
      <button type="button" className={buttonStyles.button} onClick={onClear}>
        Clear filters
      </button>
    </div>
  );
}

/** The filters are not why the list is empty. */
function EmptyCollector() {
  const hasRestarted = useConnection((connection) => connection.hasRestarted);
  const startedAtMs = useConnection((connection) => connection.startedAtMs ?? 0);
  const isKept = useConnection(({ status }) => status?.store != null && !isInMemory(status.store));
  const started = formatTime(new Date(startedAtMs).toISOString());
  return (
    <>
      <Inbox className={iconStyles.icon} aria-hidden />
      <h2>{hasRestarted ? "The collector restarted and is empty" : "The collector is empty"}</h2>
      <p className={textStyles.dim}>
        {isKept
          ? `It has run since ${started} and holds no trace.`
          : `It has run since ${started} and keeps traces in memory: those from before are gone.`}
      </p>
    </>
  );
}

/** Error state of the list. */
export function ListError({ error }: { error: CollectorError }) {
  const { traces } = useStores();
  return (
    <RequestFailed
      title={error.code === "invalid_query" ? "The query cannot be read" : "The traces could not be fetched"}
      error={error}
      retry={() => void traces.getState().load()}
      loading={<LoadingList />}
    />
  );
}
