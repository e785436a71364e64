import { memo, useEffect, useMemo, useRef, useState } from "react";
import { useSearch } from "wouter";
import type { TraceKey } from "../../api/collector-api.js";
import { usePreferences, useStores, useTrace } from "../../app-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { useCopy } from "../../components/use-copy.js";
import { useMediaQuery } from "../../components/use-media-query.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { isOpen } from "../../store/trace-store.js";
import { SpanPane } from "./detail/span-pane.js";
import { PaneResizer } from "./detail/pane-resizer.js";
import { Part } from "./part.js";
import { useAddressInUrl } from "./hooks/use-address-in-url.js";
import { useLiveTexts } from "./hooks/use-live-texts.js";
import { useNeighbours } from "./hooks/use-neighbours.js";
import { useTraceKeys } from "./hooks/use-trace-keys.js";
import { TimelineView } from "./timeline/timeline-view.js";
import { parseTraceSearch, tenantOf, traceIdOf, tracePath } from "./trace-address.js";
import { TraceFoot } from "./trace-foot.js";
import { TraceHeader } from "./trace-header.js";
import { TracePageProvider, useTracePage, useTraceView } from "./trace-page-context.js";
import { StaleNotice, TraceLoading, TraceMissing } from "./trace-states.js";
import { createTraceViewStore } from "./trace-view-store.js";
import { TreeView } from "./tree-view.js";
import { ViewBar } from "./view-bar.js";
import { classNames } from "../../components/class-names.js";
import pageStyles from "../../components/page.module.css";
import styles from "./trace-page.module.css";

/** Below this width, the right pane covers the spans. */
const NARROW = "(max-width: 1099px)";

/** The page of one trace: spans on the left, the selected one on the right. */
export function TracePage({ traceId: routed }: { traceId: string }) {
  // The router decodes the path only partly.
  const traceId = traceIdOf(window.location) || routed;
  const { trace } = useStores();
  const named = tenantOf(useSearch());
  useEffect(() => void trace.getState().open({ traceId, tenant: named }), [trace, traceId, named]);

  const isThis = useTrace((state) => isOpen(state, { traceId, tenant: named }));
  const tenant = useTrace((state) => state.tenant ?? "");
  const phase = useTrace((state) => state.phase);
  return (
    <main className={classNames(pageStyles.page, styles.trace)}>
      {!isThis || phase === "loading" ? (
        <TraceLoading />
      ) : phase === "error" ? (
        <TraceMissing />
      ) : (
        <ErrorBoundary
          name="This trace"
          resetKey={rowKeyOf({ trace_id: traceId, tenant })}
          beforeRetry={() => trace.getState().refresh()}
        >
          <OpenTrace key={rowKeyOf({ trace_id: traceId, tenant })} traceId={traceId} tenant={tenant} />
        </ErrorBoundary>
      )}
    </main>
  );
}

/** Memoized, because it changes the URL itself. */
const OpenTrace = memo(function OpenTrace({ traceId, tenant }: { traceId: string; tenant: string }) {
  const traceKey = useMemo(() => ({ traceId, tenant }), [traceId, tenant]);
  const [view] = useState(() => createTraceViewStore(parseTraceSearch(window.location.search)));
  const isNarrow = useMediaQuery(NARROW);
  useAddressInUrl(traceKey, view);
  useEffect(() => {
    const onPop = (): void => {
      // Back may also leave the page.
      const { search } = window.location;
      if (traceIdOf(window.location) === traceId && (tenantOf(search) ?? tenant) === tenant)
        view.setState(parseTraceSearch(search));
    };
    window.addEventListener("popstate", onPop);
    return () => window.removeEventListener("popstate", onPop);
  }, [view, traceId, tenant]);
  return (
    <TracePageProvider view={view} isNarrow={isNarrow}>
      <PageParts traceKey={traceKey} />
    </TracePageProvider>
  );
});

function PageParts({ traceKey }: { traceKey: TraceKey }) {
  const { view, tree, selected, isNarrow } = useTracePage();
  useLiveTexts(traceKey, tree.isRunning);
  const trace = useTrace((state) => state.trace);
  const { step, ...neighbours } = useNeighbours(traceKey, view);
  const selectedId = selected?.id;
  const { isCopied, copy } = useCopy();
  const copyLink = (): void => {
    const path = tracePath(traceKey, { ...view.getState(), spanId: selectedId });
    copy(window.location.origin + path);
  };
  useTraceKeys(step, copyLink);

  const shown = useTraceView((state) => state.view);
  const isPaneOpen = useTraceView((state) => (isNarrow ? state.isOverlayOpen : state.isPaneOpen));
  const chosenWidth = usePreferences(({ detailWidth }) => detailWidth);
  const split = useRef<HTMLDivElement>(null);
  if (trace === undefined) return null;
  // A width chosen on a wide screen must leave room for the spans on a narrow one.
  const paneWidth = `min(${chosenWidth}px, max(400px, 100% - 420px))`;
  const columns = isPaneOpen && !isNarrow ? `minmax(0, 1fr) ${paneWidth}` : "minmax(0, 1fr)";
  return (
    <>
      <Part name="This header">
        <TraceHeader trace={trace} {...neighbours} />
      </Part>
      <StaleNotice />
      <div ref={split} className={styles.split} style={{ gridTemplateColumns: columns }}>
        <section aria-label="Spans">
          <Part name="This tool bar">
            <ViewBar />
          </Part>
          <Part name={shown === "tree" ? "This tree" : "This timeline"} resetKey={shown}>
            {shown === "tree" ? <TreeView /> : <TimelineView />}
          </Part>
        </section>
        {isPaneOpen && selected !== undefined && (
          <section
            aria-label="Selected span"
            className={isNarrow ? classNames(styles.pane, styles.over) : styles.pane}
          >
            {!isNarrow && <PaneResizer container={split} />}
            <Part name="This span" resetKey={selected.span}>
              <SpanPane key={selected.id} node={selected} link={{ copy: copyLink, isCopied }} />
            </Part>
          </section>
        )}
      </div>
      <Part name="This summary">
        <TraceFoot trace={trace} />
      </Part>
    </>
  );
}
