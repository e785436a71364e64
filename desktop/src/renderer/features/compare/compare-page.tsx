import type { TraceComparison } from "@obspan/collector-core/api-schema";
import { useEffect, useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import { useComparison, useStores } from "../../app-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { isAsked } from "../../store/compare-store.js";
import { CompareFoot } from "./compare-foot.js";
import { CompareHead } from "./compare-head.js";
import { compareHref, parseCompareSearch, type CompareView } from "./compare-address.js";
import { CompareAlone, CompareFailed, CompareLoading, StaleComparison } from "./compare-states.js";
import { CausesLine } from "./causes-line.js";
import { DeltaRow } from "./delta-row.js";
import { PromptsView } from "./prompts-view.js";
import { SpansView } from "./spans-view.js";
import { VersionsLine } from "./versions-line.js";
import { useCompareActions } from "./use-compare-actions.js";
import { useCompareKeys } from "./use-compare-keys.js";
import { useSelectedStep } from "./use-selected-step.js";
import { classNames } from "../../components/class-names.js";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./compare-page.module.css";

/** The page of two runs beside each other. */
export function ComparePage() {
  const { compare } = useStores();
  const search = useSearch();
  const { keys } = useMemo(() => parseCompareSearch(search), [search]);
  const address = keys === undefined ? undefined : compareHref(keys);
  useEffect(() => compare.getState().watch(), [compare]);
  useEffect(() => {
    if (keys !== undefined) void compare.getState().open(keys);
    // The keys are new objects each time.
  }, [compare, address]);

  const isThis = useComparison((state) => keys !== undefined && isAsked(state, keys));
  const phase = useComparison((state) => state.phase);
  const comparison = useComparison((state) => state.comparison);
  return (
    <main className={classNames(pageStyles.page, styles.compare)}>
      {keys === undefined ? (
        <CompareAlone />
      ) : !isThis || phase === "loading" ? (
        <CompareLoading />
      ) : phase === "alone" ? (
        <CompareAlone run={keys.b} versus={keys.versus} />
      ) : comparison === undefined ? (
        <CompareFailed />
      ) : (
        <ErrorBoundary
          name="This comparison"
          resetKey={address}
          beforeRetry={() => compare.getState().refresh()}
        >
          <OpenComparison key={`${comparison.a.trace_id} ${comparison.b.trace_id}`} comparison={comparison} />
        </ErrorBoundary>
      )}
    </main>
  );
}

function OpenComparison({ comparison }: { comparison: TraceComparison }) {
  const search = useSearch();
  const [, navigate] = useLocation();
  const { view, step } = useMemo(() => parseCompareSearch(search), [search]);
  const found = useComparison((state) => state.found);
  const go = (to: { readonly view?: CompareView; readonly step?: string | undefined }): void => {
    if (found !== undefined) navigate(compareHref(found, { view, step, ...to }), { replace: true });
  };
  const selection = useSelectedStep(comparison, step, (id) => go({ step: id }));
  const swap = (): void => {
    if (found !== undefined)
      navigate(compareHref({ a: found.b, b: found.a }, { view, step }), { replace: true });
  };
  const setView = (to: CompareView): void => go({ view: to });
  useCompareKeys({ selection, view, setView, swap });
  useCompareActions({ comparison, selection, view, setView, swap });
  return (
    <>
      <h1 className={textStyles.screenReader}>Two runs of {comparison.b.root_name}</h1>
      <CompareHead comparison={comparison} view={view} setView={setView} swap={swap} />
      <StaleComparison />
      <DeltaRow comparison={comparison} />
      <VersionsLine comparison={comparison} />
      {view === "spans" && <CausesLine comparison={comparison} />}
      {view === "spans" ? (
        <SpansView comparison={comparison} selection={selection} />
      ) : (
        <PromptsView comparison={comparison} selection={selection} />
      )}
      <CompareFoot comparison={comparison} view={view} />
    </>
  );
}
