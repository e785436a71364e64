import { lazy, Suspense, useEffect } from "react";
import { useStores, useTraces } from "../../app-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { isFirstRun, isUnfiltered } from "../../store/traces-state.js";
import { BulkBar } from "./bulk-bar.js";
import { FacetBar } from "./facet-bar.js";
import { DropTarget } from "./files/drop-target.js";
import { FileButtons } from "./files/file-buttons.js";
import { TransferNotice } from "./files/transfer-notice.js";
import { FirstRun } from "./first-run/first-run.js";
import { GroupMenu } from "./groups/group-menu.js";
import { Histogram } from "./histogram/histogram.js";
import { ListFoot } from "./list-foot.js";
import { ListError, LoadingList, NoMatch } from "./list-states.js";
import { ArrivalsAnnouncer, NewPill } from "./new-pill.js";
import { QueryInput } from "./query-input.js";
import { TraceColumnsMenu } from "./trace-columns-menu.js";
import { TraceTable } from "./trace-table.js";
import { ViewsMenu } from "./views-menu.js";
import { TimeMenu } from "./time-menu.js";
import { useFilters, type AddressOrder } from "./use-filters.js";
import { classNames } from "../../components/class-names.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./traces-page.module.css";

/** Loaded when traces are grouped. */
const Groups = lazy(() => import("./groups/group-table.js"));

/** The page with the list of traces. */
export function TracesPage() {
  const { traces } = useStores();
  const address = useFilters();
  const { filters, order, setOrder, grouping, setGrouping } = address;
  useEffect(() => {
    traces.getState().setFilters(filters, order);
  }, [filters, order, traces]);

  // A link with filters is not a first run, even before the store knows the filters.
  const isFirst = useTraces(isFirstRun) && isUnfiltered(filters);
  const error = useTraces((state) => (state.phase === "error" ? state.error : undefined));
  const load = (): Promise<void> => traces.getState().load();
  const isOff = error?.code === "trace_store_disabled";
  if (isFirst) return <FirstRun />;
  return (
    <main className={classNames(pageStyles.page, styles.traces)}>
      <h1 className={textStyles.screenReader}>Traces</h1>
      {!isOff && (
        <>
          <div className={pageStyles.bar}>
            <QueryInput {...address} />
            <ViewsMenu filters={filters} order={order} grouping={grouping} />
            <TimeMenu {...address} />
            <GroupMenu grouping={grouping} setGrouping={setGrouping} />
            {grouping === undefined && <TraceColumnsMenu />}
            <FileButtons filters={filters} />
          </div>
          <ErrorBoundary name="This list of filters" beforeRetry={load}>
            <FacetBar {...address} />
          </ErrorBoundary>
          <ErrorBoundary name="This histogram" beforeRetry={load}>
            <Histogram {...address} />
          </ErrorBoundary>
        </>
      )}
      <TransferNotice />
      <div className={styles.list}>
        <ErrorBoundary name="This list" resetKey={filters} beforeRetry={load}>
          {grouping === undefined ? (
            <List order={order} setOrder={setOrder} onClearFilters={() => address.setFilters({})} />
          ) : (
            <Suspense fallback={<LoadingList />}>
              <Groups
                filters={filters}
                grouping={grouping}
                setGrouping={setGrouping}
                onClearFilters={() => address.setFilters({})}
              />
            </Suspense>
          )}
        </ErrorBoundary>
        {grouping === undefined && <NewPill />}
        {grouping === undefined && <BulkBar />}
      </div>
      {!isOff && (
        <ErrorBoundary name="This summary" beforeRetry={load}>
          <ListFoot isGrouped={grouping !== undefined} />
        </ErrorBoundary>
      )}
      <ArrivalsAnnouncer />
      {!isOff && <DropTarget />}
    </main>
  );
}

function List({ onClearFilters, ...order }: AddressOrder & { readonly onClearFilters: () => void }) {
  const phase = useTraces((state) => state.phase);
  const error = useTraces((state) => state.error);
  const isEmpty = useTraces((state) => state.rows.length === 0);
  if (phase === "error" && error !== undefined) return <ListError error={error} />;
  if (!isEmpty) return <TraceTable {...order} onClearFilters={onClearFilters} />;
  return phase === "loading" ? <LoadingList /> : <NoMatch onClear={onClearFilters} />;
}
