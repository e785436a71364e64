import { useEffect, useRef, useState } from "react";
import { useConnection, usePreferences, useStores, useTrace } from "../../app-context.js";
import { useCopy } from "../../components/use-copy.js";
import { useMediaQuery } from "../../components/use-media-query.js";
import { SpanPane } from "./detail/span-pane.js";
import { PaneResizer } from "./detail/pane-resizer.js";
import { useAddressInUrl } from "./hooks/use-address-in-url.js";
import { useNeighbours } from "./hooks/use-neighbours.js";
import { useTraceKeys } from "./hooks/use-trace-keys.js";
import { TimelineView } from "./timeline/timeline-view.js";
import { parseTraceSearch, traceIdOf, tracePath } from "./trace-address.js";
import { TraceFoot } from "./trace-foot.js";
import { TraceHeader } from "./trace-header.js";
import { TracePageProvider, useTracePage, useTraceView } from "./trace-page-context.js";
import { StaleNotice, TraceLoading, TraceMissing } from "./trace-states.js";
import { createTraceViewStore } from "./trace-view-store.js";
import { TreeView } from "./tree-view.js";
import { ViewBar } from "./view-bar.js";
import "./trace.css";

/** Below this width the right pane lies over the spans. */
const NARROW = "(max-width: 1099px)";

/** One trace: its spans at the left, the selected one at the right. */
export function TracePage({ traceId: routed }: { traceId: string }) {
  // The router unescapes the path only in part.
  const traceId = traceIdOf(window.location.pathname) || routed;
  const { trace } = useStores();
  useEffect(() => void trace.getState().open(traceId), [trace, traceId]);
  useRefreshOnReconnect();

  const isOpen = useTrace((state) => state.traceId === traceId);
  const phase = useTrace((state) => state.phase);
  return (
    <main className="page trace">
      {!isOpen || phase === "loading" ? (
        <TraceLoading />
      ) : phase === "error" ? (
        <TraceMissing />
      ) : (
        <OpenTrace key={traceId} traceId={traceId} />
      )}
    </main>
  );
}

/** What happened while the collector was away is fetched once it is back. */
function useRefreshOnReconnect(): void {
  const { trace } = useStores();
  const link = useConnection((connection) => connection.link);
  const before = useRef(link);
  useEffect(() => {
    if (link === "live" && before.current === "disconnected") void trace.getState().refresh();
    before.current = link;
  }, [trace, link]);
}

function OpenTrace({ traceId }: { traceId: string }) {
  const [view] = useState(() => createTraceViewStore(parseTraceSearch(window.location.search)));
  const isNarrow = useMediaQuery(NARROW);
  useAddressInUrl(traceId, view);
  useEffect(() => {
    const onPop = (): void => {
      // Back may as well lead away from the page.
      if (traceIdOf(window.location.pathname) === traceId)
        view.setState(parseTraceSearch(window.location.search));
    };
    window.addEventListener("popstate", onPop);
    return () => window.removeEventListener("popstate", onPop);
  }, [view, traceId]);
  return (
    <TracePageProvider view={view} isNarrow={isNarrow}>
      <PageParts traceId={traceId} />
    </TracePageProvider>
  );
}

function PageParts({ traceId }: { traceId: string }) {
  const { view, selected, isNarrow } = useTracePage();
  const trace = useTrace((state) => state.trace);
  const neighbours = useNeighbours(traceId, view);
  const selectedId = selected?.id;
  const { isCopied, copy } = useCopy();
  const copyLink = (): void => {
    const path = tracePath(traceId, { ...view.getState(), spanId: selectedId });
    copy(window.location.origin + path);
  };
  useTraceKeys(neighbours, copyLink);

  const shown = useTraceView((state) => state.view);
  const isPaneOpen = useTraceView((state) => (isNarrow ? state.isOverlayOpen : state.isPaneOpen));
  const chosenWidth = usePreferences(({ detailWidth }) => detailWidth);
  const split = useRef<HTMLDivElement>(null);
  if (trace === undefined) return null;
  // What was chosen on a wide screen leaves the spans their room on a smaller one.
  const paneWidth = `min(${chosenWidth}px, max(400px, 100% - 420px))`;
  const columns = isPaneOpen && !isNarrow ? `minmax(0, 1fr) ${paneWidth}` : "minmax(0, 1fr)";
  return (
    <>
      <TraceHeader trace={trace} {...neighbours} />
      <StaleNotice />
      <div ref={split} className="split" style={{ gridTemplateColumns: columns }}>
        <section aria-label="Spans">
          <ViewBar />
          {shown === "tree" ? <TreeView /> : <TimelineView />}
        </section>
        {isPaneOpen && selected !== undefined && (
          <section aria-label="Selected span" className={isNarrow ? "pane over" : "pane"}>
            {!isNarrow && <PaneResizer container={split} />}
            <SpanPane key={selected.id} node={selected} link={{ copy: copyLink, isCopied }} />
          </section>
        )}
      </div>
      <TraceFoot trace={trace} />
    </>
  );
}
