import { Download } from "lucide-react";
import { useEffect } from "react";
import { useSessions, useStores } from "../../app-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { traceFiltersOf } from "../../store/session-terms.js";
import { isUnfiltered } from "../../store/traces-state.js";
import { FacetBar } from "../traces/facet-bar.js";
import { TransferNotice } from "../traces/files/transfer-notice.js";
import { QueryInput } from "../traces/query-input.js";
import { TimeMenu } from "../traces/time-menu.js";
import { useSessionFilters, type SessionsOrder } from "./session-filters.js";
import { NewSessions, SessionTable } from "./session-table.js";
import { SessionsFoot } from "./sessions-foot.js";
import { SessionsBulkBar } from "./sessions-bulk-bar.js";
import { SessionsColumnsMenu } from "./sessions-columns-menu.js";
import { SessionTotals } from "./session-totals.js";
import { LoadingSessions, NoSession, NoSessionMatches, SessionsError } from "./sessions-states.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./sessions-page.module.css";

/** The page with the list of sessions. Its filters choose traces: a session is listed if one of its traces matches. */
export function SessionsPage() {
  const { api, sessions, traces } = useStores();
  const address = useSessionFilters();
  const { filters, order, setOrder } = address;
  useEffect(() => {
    sessions.getState().setFilters(filters, order);
    // It knows the values of the filters.
    traces.getState().setFilters(traceFiltersOf(filters), "newest");
  }, [filters, order, sessions, traces]);
  useEffect(() => sessions.getState().watch(), [sessions]);

  const isOff = useSessions(({ error }) => error?.code === "trace_store_disabled");
  const isEmpty = useSessions(({ phase, rows }) => phase === "ready" && rows.length === 0);
  const isNone = isEmpty && isUnfiltered(filters);
  const load = (): Promise<void> => sessions.getState().load();
  return (
    <main className={classNames(pageStyles.page, styles.sessions)}>
      <h1 className={textStyles.screenReader}>Sessions</h1>
      {!isOff && !isNone && (
        <>
          <div className={pageStyles.bar}>
            <QueryInput {...address} subject="sessions" />
            <TimeMenu {...address} />
            <SessionsColumnsMenu />
            <a
              className={classNames(buttonStyles.button, buttonStyles.square)}
              href={api.sessionsExportAddress(filters)}
              download
              data-tip="Export what matches"
            >
              <Download className={iconStyles.icon} aria-label="Export what matches" />
            </a>
          </div>
          <ErrorBoundary name="This list of filters" beforeRetry={load}>
            <FacetBar {...address} subject="sessions" totals={<SessionTotals />} />
          </ErrorBoundary>
        </>
      )}
      <TransferNotice />
      <div className={styles.list}>
        <ErrorBoundary name="This list" resetKey={filters} beforeRetry={load}>
          <List
            order={order}
            setOrder={setOrder}
            isNone={isNone}
            onClearFilters={() => address.setFilters({})}
          />
        </ErrorBoundary>
        <NewSessions />
        <SessionsBulkBar />
      </div>
      {!isOff && !isNone && <SessionsFoot filters={filters} />}
    </main>
  );
}

interface ListProps extends SessionsOrder {
  readonly isNone: boolean;
  readonly onClearFilters: () => void;
}

function List({ isNone, onClearFilters, ...order }: ListProps) {
  const phase = useSessions((state) => state.phase);
  const error = useSessions((state) => state.error);
  const isEmpty = useSessions((state) => state.rows.length === 0);
  if (phase === "error" && error !== undefined) return <SessionsError error={error} />;
  if (!isEmpty) return <SessionTable {...order} onClearFilters={onClearFilters} />;
  if (phase === "loading") return <LoadingSessions />;
  return isNone ? <NoSession /> : <NoSessionMatches onClear={onClearFilters} />;
}
