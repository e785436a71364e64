import { useEffect, useMemo, useRef } from "react";
import { useLocation, useSearch } from "wouter";
import { useStats, useStores, useTraces } from "../../app-context.js";
import type { StatsPanels } from "../../store/stats-store.js";
import { MetricsBar } from "./metrics-bar.js";
import { MetricsError, MetricsLoading, NothingYet } from "./metrics-states.js";
import { groupsOf } from "./panel-data.js";
import { Panels } from "./panels.js";
import { viewAddress, viewFromSearch } from "./stats-address.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";

/** Metrics over time of every span, sampled or not. */
export function MetricsPage() {
  const { stats } = useStores();
  const search = useSearch();
  const [, navigate] = useLocation();
  const view = useMemo(() => viewFromSearch(search), [search]);
  const panels = useStats((state) => state.panels);
  const error = useStats((state) => state.error);
  const paused = useTraces((traces) => traces.paused);

  useEffect(() => stats.getState().show(view), [stats, view]);
  useEffect(() => stats.getState().watch(), [stats]);
  const wasPaused = useRef(false);
  useEffect(() => {
    if (wasPaused.current && !paused) void stats.getState().load();
    wasPaused.current = paused;
  }, [stats, paused]);

  const groups = useMemo(() => (panels === undefined ? [] : groupsOf(panels)), [panels]);
  return (
    <main className={pageStyles.page} aria-busy={panels === undefined && error === undefined}>
      <h1 className={textStyles.screenReader}>Metrics</h1>
      <MetricsBar
        view={view}
        groups={groups}
        onChange={(next) => navigate(viewAddress(next), { replace: true })}
      />
      {error !== undefined && (
        <MetricsError
          error={error}
          hasPanels={panels !== undefined}
          onRetry={() => void stats.getState().load()}
        />
      )}
      {panels === undefined ? (
        error === undefined && <MetricsLoading />
      ) : isEmpty(panels) ? (
        <NothingYet view={panels.view} onWiden={(next) => navigate(viewAddress(next), { replace: true })} />
      ) : (
        <Panels
          panels={panels}
          groups={groups}
          isStale={viewAddress(panels.view) !== viewAddress(view) && error === undefined}
        />
      )}
    </main>
  );
}

function isEmpty({ grouped }: StatsPanels): boolean {
  return grouped.total.window.spans === 0;
}
