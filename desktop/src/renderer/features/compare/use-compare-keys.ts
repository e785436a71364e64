import { useEffect } from "react";
import { useLocation } from "wouter";
import { useComparison, useStores } from "../../app-context.js";
import { traceHref } from "../trace/trace-address.js";
import { isHandledElsewhere } from "../traces/use-list-keys.js";
import { COMPARE_VIEWS, type CompareView } from "./compare-address.js";
import type { SelectedStep } from "./use-selected-step.js";

/** What the shortcuts of the page act on. */
export interface CompareCommands {
  readonly selection: SelectedStep;
  readonly view: CompareView;
  readonly setView: (view: CompareView) => void;
  readonly swap: () => void;
}

/** Handles the shortcuts of the page of two runs. */
export function useCompareKeys({ selection, view, setView, swap }: CompareCommands): void {
  const { preferences } = useStores();
  const run = useComparison(({ comparison }) => comparison?.b);
  const [, navigate] = useLocation();
  useEffect(() => {
    const { moveBy, select, next } = selection;
    const isSpans = view === "spans";
    /** Keys inside the steps: elsewhere, arrows scroll or choose a tab. */
    const inSteps: KeyMap = {
      [isSpans ? "ArrowDown" : "ArrowRight"]: () => moveBy(1),
      [isSpans ? "ArrowUp" : "ArrowLeft"]: () => moveBy(-1),
      Home: () => select(0),
      End: () => select(Number.MAX_SAFE_INTEGER),
      PageDown: () => moveBy(10),
      PageUp: () => moveBy(-10),
      Enter: () => document.getElementById("step-panel")?.focus(),
    };
    const anywhere: KeyMap = {
      n: () => next(1),
      N: () => next(-1),
      j: () => next(1),
      k: () => next(-1),
      s: swap,
      u: () =>
        preferences.setState(({ diffLayout }) => ({
          diffLayout: diffLayout === "split" ? "unified" : "split",
        })),
      o: () => preferences.setState(({ isOnlyChanges }) => ({ isOnlyChanges: !isOnlyChanges })),
      Escape: () => {
        if (cameFromApp()) window.history.back();
        else
          navigate(run === undefined ? "/traces" : traceHref({ traceId: run.trace_id, tenant: run.tenant }));
      },
    };
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isHandledElsewhere(event.target)) return;
      const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
      const chosen = event.shiftKey || digit === undefined ? undefined : COMPARE_VIEWS[Number(digit) - 1];
      const action =
        (chosen && (() => setView(chosen))) ??
        (isInSteps(event) ? inSteps[event.key] : undefined) ??
        anywhere[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });
}

type KeyMap = Readonly<Record<string, (() => void) | undefined>>;

function isInSteps({ target }: KeyboardEvent): boolean {
  return (
    target === document.body ||
    (target instanceof Element && target.closest("[role=grid], [role=listbox]") !== null)
  );
}

/** Whether another page of the app was open before this one. */
function cameFromApp(): boolean {
  // Not every browser allows a page to read its history.
  const history = (window as { navigation?: Navigation }).navigation;
  const index = history?.currentEntry?.index ?? 0;
  const url = history?.entries()[index - 1]?.url;
  return typeof url === "string" && new URL(url).origin === window.location.origin;
}
