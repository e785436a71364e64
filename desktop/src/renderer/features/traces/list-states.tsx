import { CircleAlert, SearchX } from "lucide-react";
import type { CollectorError } from "../../api/collector-api.js";
import { useStores } from "../../app-context.js";
import { StoreDisabled } from "../../components/store-disabled.js";
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

/** Empty state: no trace matches the filters. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <div className={pageStyles.blank} role="status">
      <SearchX className={iconStyles.icon} aria-hidden />
      <h2>No trace matches</h2>
      <p className={textStyles.dim}>New matches appear here.</p>
      <button type="button" className={buttonStyles.button} onClick={onClear}>
        Clear filters
      </button>
    </div>
  );
}

/** Error state of the list. */
export function ListError({ error }: { error: CollectorError }) {
  const { traces } = useStores();
  if (error.code === "trace_store_disabled") return <StoreDisabled />;
  // The user has signed in since: the list is loading.
  if (error.code === "unauthorized") return <LoadingList />;
  return (
    <div className={pageStyles.blank} role="alert">
      <CircleAlert className={classNames(iconStyles.icon, textStyles.error)} aria-hidden />
      <h2>The traces could not be fetched</h2>
      <p className={textStyles.dim}>{error.message}</p>
      <p className={classNames(textStyles.mono, textStyles.faint)}>{error.code}</p>
      <button type="button" className={buttonStyles.button} onClick={() => void traces.getState().load()}>
        Try again
      </button>
    </div>
  );
}
