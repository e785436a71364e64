import type { Grouping, Measure } from "@obspan/collector-core/analysis";
import { createStore } from "zustand/vanilla";
import { EVALUATIONS_ID } from "./model/evaluation-group.js";
import { zoomWindow, type TimeWindow } from "./model/time-scale.js";
import type { TabName, TraceAddress, ViewName } from "./trace-address.js";

/** Parts of the transcript that can be hidden. */
export interface TranscriptParts {
  /** Instructions to the models. */
  readonly system: boolean;
  /** Tools with their arguments and results. */
  readonly tools: boolean;
  /** Steps that say nothing. */
  readonly steps: boolean;
}

/** How the flame shows a run. */
export interface FlameSettings {
  readonly measure: Measure;
  /** Whether spans of the same type and name are one frame. */
  readonly mergesRepeats: boolean;
  /** A span of the frame with the full width; undefined for the whole run. */
  readonly zoomedTo: string | undefined;
  readonly grouping: Grouping;
}

/** What the width of an edge of the graph can show. */
export const EDGE_WIDTHS = ["time", "calls", "cost"] as const;
export type EdgeWidth = (typeof EDGE_WIDTHS)[number];

/** The view settings of a trace page. They stay as the trace grows. */
export interface TraceView extends TraceAddress {
  /** Ids of the spans whose children are hidden. */
  readonly folded: ReadonlySet<string>;
  /** The visible time window; undefined for the whole trace, even if it grows. */
  readonly window: TimeWindow | undefined;
  /** The window of the whole trace; undefined until the timeline is rendered. */
  readonly whole: TimeWindow | undefined;
  readonly showsCriticalPath: boolean;
  /** What the transcript shows besides messages. */
  readonly transcriptParts: TranscriptParts;
  /** Whether all of the transcript is open. Each change resets what the reader folded. */
  readonly transcriptFolds: { readonly isAllOpen: boolean; readonly version: number };
  /** Whether the newest step is selected as the trace grows. */
  readonly isFollowing: boolean;
  readonly flame: FlameSettings;
  /** A node of the graph, and the span that was selected with it. */
  readonly chosenNode: { readonly id: string; readonly spanId: string | undefined } | undefined;
  /** What the width of the edges of the graph shows. */
  readonly edgeWidth: EdgeWidth;
  /** Nodes of the graph that the reader chose: they do not fold, however many there are. */
  readonly keptNodes: ReadonlySet<string>;
  /** Scale of the graph; `fit` for one that shows it all. */
  readonly graphScale: number | "fit";
  /** In views in which several spans are one part: whether the right pane shows the span itself. */
  readonly isSpanOpen: boolean;
  /** Whether the right pane is open beside the spans, on wide screens. */
  readonly isPaneOpen: boolean;
  /** Whether the right pane is open over the spans, on narrow screens. */
  readonly isOverlayOpen: boolean;
  readonly isSearchOpen: boolean;
  readonly search: string;
}

export interface TraceViewActions {
  /**
   * Selects a span.
   *
   * @param unfold - ids of spans to open, so that it is visible.
   */
  readonly select: (spanId: string, unfold?: readonly string[]) => void;
  readonly setFolded: (spanId: string, isFolded: boolean) => void;
  /** Folds exactly these spans. */
  readonly setAllFolded: (spanIds: readonly string[]) => void;
  readonly setWindow: (window: TimeWindow | undefined) => void;
  readonly setWhole: (whole: TimeWindow) => void;
  /**
   * Zooms around a time, or around the middle of the window if that is not visible.
   *
   * @param factor - below 1 zooms in.
   */
  readonly zoomBy: (factor: number, aboutMs?: number) => void;
  readonly setView: (view: ViewName) => void;
  readonly setFlame: (settings: Partial<FlameSettings>) => void;
  /** Chooses a node of the graph, and a span behind it if there is one. */
  readonly chooseNode: (id: string, spanId: string | undefined) => void;
  /** Opens nodes that are folded, or keeps them from folding. */
  readonly keepNodes: (ids: readonly string[]) => void;
  readonly setEdgeWidth: (edgeWidth: EdgeWidth) => void;
  /** @param factor - undefined to fit. */
  readonly zoomGraph: (factor: number | undefined) => void;
  readonly setSpanOpen: (isSpanOpen: boolean) => void;
  readonly setTab: (tab: TabName) => void;
  readonly toggleCriticalPath: () => void;
  readonly toggleTranscriptPart: (part: keyof TranscriptParts) => void;
  readonly setAllOpen: (isAllOpen: boolean) => void;
  /** Starts or stops following. Selecting a span stops it too. */
  readonly setFollowing: (isFollowing: boolean) => void;
  /** Selects the newest step while following. */
  readonly follow: (spanId: string, unfold?: readonly string[]) => void;
  /** @param isOverlay - whether the pane covers the spans. */
  readonly togglePane: (isOverlay: boolean) => void;
  readonly openOverlay: () => void;
  readonly closeOverlay: () => void;
  readonly openSearch: () => void;
  readonly closeSearch: () => void;
  readonly setSearch: (text: string) => void;
}

const MIN_SCALE = 0.25;
const MAX_SCALE = 3;

/** The view of one trace page. */
export function createTraceViewStore(address: TraceAddress) {
  return createStore<TraceView & TraceViewActions>()((set, get) => ({
    ...address,
    folded: new Set([EVALUATIONS_ID]),
    window: undefined,
    whole: undefined,
    showsCriticalPath: true,
    transcriptParts: { system: false, tools: true, steps: true },
    transcriptFolds: { isAllOpen: false, version: 0 },
    isFollowing: false,
    flame: { measure: "time", mergesRepeats: true, zoomedTo: undefined, grouping: "name" },
    chosenNode: undefined,
    edgeWidth: "time",
    keptNodes: new Set(),
    graphScale: 1,
    isSpanOpen: false,
    isPaneOpen: true,
    // A link to a span opens the pane even on narrow screens.
    isOverlayOpen: address.spanId !== undefined,
    isSearchOpen: false,
    search: "",

    select(spanId, unfold = []) {
      const { folded } = get();
      const isHidden = unfold.some((id) => folded.has(id));
      set({
        spanId,
        folded: isHidden ? new Set([...folded].filter((id) => !unfold.includes(id))) : folded,
        isFollowing: false,
      });
    },

    follow(spanId, unfold) {
      get().select(spanId, unfold);
      set({ isFollowing: true });
    },

    setAllOpen: (isAllOpen) =>
      set(({ transcriptFolds: { version } }) => ({ transcriptFolds: { isAllOpen, version: version + 1 } })),
    setFollowing: (isFollowing) => set({ isFollowing }),
    toggleTranscriptPart: (part) =>
      set(({ transcriptParts }) => ({
        transcriptParts: { ...transcriptParts, [part]: !transcriptParts[part] },
      })),

    setFolded(spanId, isFolded) {
      const folded = new Set(get().folded);
      if (isFolded) folded.add(spanId);
      else folded.delete(spanId);
      set({ folded });
    },

    setAllFolded: (spanIds) => set({ folded: new Set(spanIds) }),
    setWindow: (window) => set({ window }),
    setWhole: (whole) => set({ whole }),

    zoomBy(factor, aboutMs) {
      const { window, whole } = get();
      const shown = window ?? whole;
      if (shown === undefined || whole === undefined) return;
      const isSeen = aboutMs !== undefined && aboutMs >= shown.startMs && aboutMs <= shown.endMs;
      const about = isSeen ? aboutMs : (shown.startMs + shown.endMs) / 2;
      set({ window: zoomWindow(shown, whole, factor, about) });
    },

    setView: (view) => set({ view, isSpanOpen: false }),
    setFlame: (settings) => set(({ flame }) => ({ flame: { ...flame, ...settings } })),
    chooseNode(id, spanId) {
      if (spanId !== undefined) get().select(spanId);
      set({ chosenNode: { id, spanId: get().spanId }, isFollowing: false });
      get().keepNodes([id]);
    },
    keepNodes(ids) {
      const { keptNodes } = get();
      if (ids.some((id) => !keptNodes.has(id))) set({ keptNodes: new Set([...keptNodes, ...ids]) });
    },
    setEdgeWidth: (edgeWidth) => set({ edgeWidth }),
    zoomGraph: (factor) =>
      set(({ graphScale }) => {
        const scale = graphScale === "fit" ? 1 : graphScale;
        const zoomed = factor && Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale * factor));
        return { graphScale: zoomed ?? "fit" };
      }),
    setSpanOpen: (isSpanOpen) => set({ isSpanOpen }),
    // The tabs are those of a span.
    setTab: (tab) => set({ tab, isPaneOpen: true, isSpanOpen: true }),
    toggleCriticalPath: () => set(({ showsCriticalPath }) => ({ showsCriticalPath: !showsCriticalPath })),

    togglePane(isOverlay) {
      if (isOverlay) set(({ isOverlayOpen }) => ({ isOverlayOpen: !isOverlayOpen }));
      else set(({ isPaneOpen }) => ({ isPaneOpen: !isPaneOpen }));
    },

    openOverlay: () => set({ isOverlayOpen: true }),
    closeOverlay: () => set({ isOverlayOpen: false }),
    openSearch: () => set({ isSearchOpen: true }),
    closeSearch: () => set({ isSearchOpen: false, search: "" }),
    setSearch: (search) => set({ search }),
  }));
}
export type TraceViewStore = ReturnType<typeof createTraceViewStore>;
