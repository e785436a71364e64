import { memo, Suspense, useEffect, useMemo, useRef, useState, type ComponentType } from "react";
import { useLocation, useSearch } from "wouter";
import type { TraceKey } from "../../api/collector-api.js";
import { usePreferences, useStores, useTrace } from "../../app-context.js";
import { ErrorBoundary } from "../../components/error-boundary.js";
import { useCopy } from "../../components/use-copy.js";
import { useMediaQuery } from "../../components/use-media-query.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { isOpen } from "../../store/trace-store.js";
import { compareHref } from "../compare/compare-address.js";
import { late, usePreload } from "../../components/late.js";
import { KeptKeys } from "../frame/kept-keys.js";
import { ComparePage } from "../compare/late-compare-page.js";
import { Conversation } from "./detail/messages-tab.js";
import { SpanPane } from "./detail/span-pane.js";
import { preloadMarkdown } from "./detail/markdown-text.js";
import { PaneResizer } from "./detail/pane-resizer.js";
import { BackToGroup } from "./groups/back-to-group.js";
import { LinkedNotice } from "./linked-notice.js";
import { Part } from "./part.js";
import { useAddressInUrl } from "./hooks/use-address-in-url.js";
import { useCacheBreaks } from "./hooks/use-cache-breaks.js";
import { useFollow } from "./hooks/use-follow.js";
import { useLiveTexts } from "./hooks/use-live-texts.js";
import { useNeighbours } from "./hooks/use-neighbours.js";
import { useTraceActions } from "./hooks/use-trace-actions.js";
import { useTraceKeys } from "./hooks/use-trace-keys.js";
import { TimelineView } from "./timeline/timeline-view.js";
import { parseTraceSearch, tenantOf, traceIdOf, tracePath, type ViewName } from "./trace-address.js";
import { TraceFoot } from "./trace-foot.js";
import { TraceHeader } from "./trace-header.js";
import { TracePageProvider, useTracePage, useTraceView } from "./trace-page-context.js";
import { StaleNotice, TraceLoading, TraceMissing } from "./trace-states.js";
import { createTraceViewStore } from "./trace-view-store.js";
import { TreeView } from "./tree-view.js";
import { preloadTools, TranscriptTools, ViewBar } from "./view-bar.js";
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

const TranscriptView = late(async () => (await import("./transcript/transcript-view.js")).default);
const FlameView = late(async () => (await import("./flame/flame-view.js")).default);
const GraphView = late(async () => (await import("./graph/graph-view.js")).default);
const FramePane = late(async () => (await import("./flame/frame-pane.js")).default);
const NodePane = late(async () => (await import("./graph/node-pane.js")).default);

/** Loads what a trace with messages opens in. */
export function preloadConversation(): void {
  for (const part of [TranscriptView, TranscriptTools, Conversation]) part.preload();
  preloadMarkdown();
}

/** Loads what is opened from a trace. */
function preloadNext(): void {
  for (const part of [FlameView, FramePane, GraphView, NodePane, ComparePage]) part.preload();
  preloadTools();
}

const VIEW_PARTS: Readonly<Record<ViewName, ComponentType>> = {
  tree: TreeView,
  timeline: TimelineView,
  flame: FlameView,
  graph: GraphView,
  transcript: TranscriptView,
};

/** What the right pane shows of a view in which several spans are one part, until a span is opened. */
const VIEW_PANES: Readonly<Partial<Record<ViewName, ComponentType>>> = {
  flame: FramePane,
  graph: NodePane,
};

function LoadingView() {
  return (
    <div className={styles.loading} aria-busy="true">
      <KeptKeys />
    </div>
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
  const { view, tree, run, shown, selected, linked, isNarrow } = useTracePage();
  useLiveTexts(traceKey, tree.isRunning);
  useCacheBreaks(traceKey, run);
  const trace = useTrace((state) => state.trace);
  const { step, ...neighbours } = useNeighbours(traceKey, view);
  const opened = linked ?? selected;
  const selectedId = opened?.id;
  const { isCopied, copy } = useCopy();
  const copyLink = (): void => {
    const path = tracePath(traceKey, { ...view.getState(), spanId: selectedId });
    copy(window.location.origin + path);
  };
  const [, navigate] = useLocation();
  usePreload(preloadNext);
  const compare = (): void => navigate(compareHref({ a: undefined, b: traceKey }));
  useTraceKeys(step, copyLink, compare);
  useTraceActions(traceKey, copyLink, compare, neighbours);
  useFollow();

  const View = VIEW_PARTS[shown];
  const isSpanOpen = useTraceView((state) => state.isSpanOpen);
  const GroupPane = isSpanOpen || linked !== undefined ? undefined : VIEW_PANES[shown];
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
        <TraceHeader trace={trace} copyLink={copyLink} {...neighbours} />
      </Part>
      <StaleNotice />
      <LinkedNotice />
      <div ref={split} className={styles.split} style={{ gridTemplateColumns: columns }}>
        <section aria-label="Spans">
          <Part name="This tool bar">
            <ViewBar />
          </Part>
          <Part name={`This ${shown}`} resetKey={shown}>
            <Suspense fallback={<LoadingView />}>
              <View />
            </Suspense>
          </Part>
        </section>
        {isPaneOpen && opened !== undefined && (
          <section
            aria-label="Selected span"
            className={isNarrow ? classNames(styles.pane, styles.over) : styles.pane}
          >
            {!isNarrow && <PaneResizer container={split} />}
            {GroupPane === undefined ? (
              <Part name="This span" resetKey={opened.span}>
                {VIEW_PANES[shown] !== undefined && linked === undefined && <BackToGroup />}
                <SpanPane key={opened.id} node={opened} link={{ copy: copyLink, isCopied }} />
              </Part>
            ) : (
              <Part name="These spans" resetKey={opened.span}>
                <Suspense fallback={<div className={styles.loading} aria-busy="true" />}>
                  <GroupPane />
                </Suspense>
              </Part>
            )}
          </section>
        )}
      </div>
      <Part name="This summary">
        <TraceFoot trace={trace} />
      </Part>
    </>
  );
}
