import { useEffect, useRef } from "react";
import { overlays } from "../../frame/overlays.js";
import { hasGroups, TABS, VIEWS } from "../trace-address.js";
import { useTracePage } from "../trace-page-context.js";
import { ZOOM_STEP } from "../model/zoom-step.js";
import { middleOf } from "../model/time-scale.js";
import { useBackToList } from "./use-back-to-list.js";
import type { Steps } from "./use-neighbours.js";
import { focusSpans, useSelection } from "./use-selection.js";

/** Handles the shortcuts of the trace page. */
export function useTraceKeys(step: Steps["step"], copyLink: () => void, compare: () => void): void {
  const { view, tree, shown, selected, failed, isNarrow } = useTracePage();
  const moves = useSelection();
  const goBack = useBackToList();

  function onEscape(): void {
    const { isSearchOpen, isOverlayOpen, closeSearch, closeOverlay } = view.getState();
    if (isSearchOpen) closeSearch();
    else if (view.getState().isSpanOpen && hasGroups(shown)) view.getState().setSpanOpen(false);
    else if (isNarrow && isOverlayOpen) closeOverlay();
    else {
      goBack();
      return;
    }
    focusSpans();
  }

  function onOpen(): void {
    if (selected === undefined) return;
    if (isNarrow) view.getState().openOverlay();
    else if (!view.getState().isPaneOpen) view.getState().togglePane(false);
    // The pane may be rendered only after this.
    requestAnimationFrame(() => document.querySelector<HTMLElement>("[role=tabpanel]")?.focus());
  }

  /** Keys inside the spans. */
  const inSpans: KeyMap = {
    ArrowDown: () => moves.moveBy(1),
    ArrowUp: () => moves.moveBy(-1),
    ArrowLeft: moves.foldOrLeave,
    ArrowRight: moves.unfoldOrEnter,
    Home: () => moves.moveTo("first"),
    End: () => moves.moveTo("last"),
    PageDown: () => moves.pageBy(1),
    PageUp: () => moves.pageBy(-1),
    Enter: onOpen,
  };

  /** Keys anywhere on the page. */
  const anywhere: KeyMap = {
    e: () => moves.selectAmong(failed, 1),
    E: () => moves.selectAmong(failed, -1),
    "/": () => view.getState().openSearch(),
    j: () => step("openOlder"),
    k: () => step("openNewer"),
    y: copyLink,
    c: compare,
    l: tree.isRunning ? () => view.getState().setFollowing(!view.getState().isFollowing) : undefined,
    "]": () => view.getState().togglePane(isNarrow),
    "+": () => view.getState().zoomBy(1 / ZOOM_STEP, middleOf(selected)),
    "=": () => view.getState().zoomBy(1 / ZOOM_STEP, middleOf(selected)),
    "-": () => view.getState().zoomBy(ZOOM_STEP, middleOf(selected)),
    "0": () => view.getState().setWindow(undefined),
    Escape: onEscape,
  };

  const handle = useRef<(event: KeyboardEvent) => void>(undefined);
  useEffect(() => {
    handle.current = (event) => {
      const action =
        digitAction(event) ?? (isInSpans(event) ? inSpans[event.key] : undefined) ?? anywhere[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
  });

  /** 1–5 choose the view, ⇧1–⇧6 the tab. Compares key codes, because Shift with a digit depends on the layout. */
  function digitAction({ code, shiftKey }: KeyboardEvent): (() => void) | undefined {
    const digit = /^Digit([1-9])$/.exec(code)?.[1];
    if (digit === undefined) return undefined;
    const tab = TABS[Number(digit) - 1];
    const chosen = VIEWS[Number(digit) - 1];
    if (shiftKey) return tab && (() => view.getState().setTab(tab));
    return chosen && (() => view.getState().setView(chosen));
  }

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (overlays.getState().open === "none") handle.current?.(event);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

type KeyMap = Readonly<Record<string, (() => void) | undefined>>;

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
  );
}

/** Elsewhere, arrow keys scroll, change tabs or resize. */
function isInSpans({ target }: KeyboardEvent): boolean {
  return (
    target === document.body ||
    (target instanceof Element && target.closest("[role=treegrid], [role=feed], [data-spans]") !== null)
  );
}
