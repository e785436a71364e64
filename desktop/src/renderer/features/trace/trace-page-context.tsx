import { createContext, use, useMemo, useState, type ReactNode } from "react";
import { useStore } from "zustand";
import {
  buildSpanTree,
  readRunInSteps,
  type Run,
  type SpanNode,
  type SpanTree,
  type Steps,
} from "@obspan/collector-core/analysis";
import { useTrace } from "../../app-context.js";
import { groupEvaluations } from "./model/evaluation-group.js";
import { failedSpans, visibleRows } from "./model/visible-rows.js";
import { searchSpans } from "./model/span-search.js";
import { suitedView } from "./model/suited-view.js";
import { useInSlices } from "./hooks/use-in-slices.js";
import { useLinkedSpan } from "./hooks/use-linked-span.js";
import type { ViewName } from "./trace-address.js";
import { TraceLoading } from "./trace-states.js";
import type { TraceView, TraceViewActions, TraceViewStore } from "./trace-view-store.js";

/** State shared by the parts of the trace page. */
export interface TracePageModel {
  readonly view: TraceViewStore;
  readonly tree: SpanTree;
  /** The trace as numbered steps. */
  readonly run: Run;
  /** The view of the left pane: the chosen one, otherwise the one that suits the trace. */
  readonly shown: ViewName;
  /** The visible rows, depending on folding. */
  readonly rows: readonly SpanNode[];
  /** The selected span; the first one if none was chosen or the chosen one is missing; none while another one is linked. */
  readonly selected: SpanNode | undefined;
  /** The chosen span if it is not among the shown ones: a page shows only the first spans of a long trace. */
  readonly linked: SpanNode | undefined;
  readonly failed: readonly SpanNode[];
  /** Spans that match the search. */
  readonly found: readonly SpanNode[];
  /** The right pane covers the spans. */
  readonly isNarrow: boolean;
}

const TracePageContext = createContext<TracePageModel | undefined>(undefined);

interface TracePageProviderProps {
  readonly view: TraceViewStore;
  readonly isNarrow: boolean;
  readonly children: ReactNode;
}

/** From this many spans on, a run is read in slices. */
export const LONG_RUN = 1000;

export function TracePageProvider(props: TracePageProviderProps) {
  const spans = useTrace((state) => state.spans);
  const read = useMemo(
    () =>
      function* (): Steps<Run> {
        const tree = buildSpanTree(groupEvaluations(spans));
        yield;
        return yield* readRunInSteps(tree);
      },
    [spans],
  );
  const run = useInSlices(read, spans.length > LONG_RUN);
  return run === undefined ? <TraceLoading /> : <ReadTraceProvider {...props} run={run} />;
}

function ReadTraceProvider({
  run,
  view,
  isNarrow,
  children,
}: TracePageProviderProps & { readonly run: Run }) {
  const { tree } = run;
  const [suited] = useState(() => suitedView(run));
  const shown = useStore(view, (state) => state.view) ?? suited;
  const folded = useStore(view, (state) => state.folded);
  const rows = useMemo(() => visibleRows(tree, folded), [tree, folded]);
  const failed = useMemo(() => failedSpans(tree), [tree]);
  const search = useStore(view, (state) => state.search);
  const found = useMemo(() => searchSpans(tree, search), [tree, search]);
  const spanId = useStore(view, (state) => state.spanId);
  const linked = useLinkedSpan(tree, spanId);
  const chosen = spanId === undefined ? undefined : tree.byId.get(spanId);
  const selected = linked === undefined ? (chosen ?? tree.nodes[0]) : undefined;
  const model = useMemo(
    () => ({ view, tree, run, shown, rows, selected, linked, failed, found, isNarrow }),
    [view, tree, run, shown, rows, selected, linked, failed, found, isNarrow],
  );
  return <TracePageContext value={model}>{children}</TracePageContext>;
}

export function useTracePage(): TracePageModel {
  const model = use(TracePageContext);
  if (model === undefined) throw new Error("useTracePage needs a TracePageProvider above it.");
  return model;
}

export function useTraceView<T>(select: (view: TraceView & TraceViewActions) => T): T {
  return useStore(useTracePage().view, select);
}
