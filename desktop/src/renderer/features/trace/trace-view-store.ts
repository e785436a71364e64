import { createStore } from "zustand/vanilla";
import { EVALUATIONS_ID } from "./model/evaluation-group.js";
import { zoomWindow, type TimeWindow } from "./model/time-scale.js";
import type { TabName, TraceAddress, ViewName } from "./trace-address.js";

/** The view settings of a trace page. They stay as the trace grows. */
export interface TraceView extends TraceAddress {
  /** Ids of the spans whose children are hidden. */
  readonly folded: ReadonlySet<string>;
  /** The visible time window; undefined for the whole trace, even if it grows. */
  readonly window: TimeWindow | undefined;
  /** The window of the whole trace; undefined until the timeline is rendered. */
  readonly whole: TimeWindow | undefined;
  readonly showsCriticalPath: boolean;
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
  readonly setTab: (tab: TabName) => void;
  readonly toggleCriticalPath: () => void;
  /** @param isOverlay - whether the pane covers the spans. */
  readonly togglePane: (isOverlay: boolean) => void;
  readonly openOverlay: () => void;
  readonly closeOverlay: () => void;
  readonly openSearch: () => void;
  readonly closeSearch: () => void;
  readonly setSearch: (text: string) => void;
}

/** The view of one trace page. */
export function createTraceViewStore(address: TraceAddress) {
  return createStore<TraceView & TraceViewActions>()((set, get) => ({
    ...address,
    folded: new Set([EVALUATIONS_ID]),
    window: undefined,
    whole: undefined,
    showsCriticalPath: true,
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
      });
    },

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

    setView: (view) => set({ view }),
    setTab: (tab) => set({ tab, isPaneOpen: true }),
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
