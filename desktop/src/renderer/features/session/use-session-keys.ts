import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useEffect } from "react";
import { useLocation } from "wouter";
import type { TraceKey } from "../../api/collector-api.js";
import { compareHref } from "../compare/compare-address.js";
import { traceHref } from "../trace/trace-address.js";
import { isHandledElsewhere } from "../traces/use-list-keys.js";
import type { SessionSteps } from "./use-session-steps.js";

/** What the shortcuts of the page act on. */
export interface SessionKeysOptions extends SessionSteps {
  readonly turns: readonly TraceSummary[];
  /** The selected turn. */
  readonly index: number;
  readonly select: (turn: TraceSummary) => void;
  readonly fold: (turn: TraceSummary, isUnfolded: boolean) => void;
  readonly rate: (turn: TraceSummary, score: 0 | 1) => void;
  readonly openSearch: () => void;
  /** Undefined while nothing is searched. */
  readonly closeSearch: (() => void) | undefined;
  readonly copyLink: () => void;
  readonly togglePane: () => void;
  /** Undefined if no pane covers the conversation. */
  readonly closePane: (() => void) | undefined;
}

/** Handles the shortcuts of the page of a session. */
export function useSessionKeys(options: SessionKeysOptions): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    const { turns, index, select, fold, rate, openSearch, closeSearch, copyLink, togglePane, closePane } =
      options;
    const { openNewer, openOlder } = options;
    const selected = turns[index];
    const before = turns[index - 1];
    const to = (at: number) => (): void => {
      const turn = turns[Math.max(0, Math.min(turns.length - 1, at))];
      if (turn !== undefined) select(turn);
    };
    const withTurn = (act: (turn: TraceSummary) => void) => (): void => {
      if (selected !== undefined) act(selected);
    };
    /** Keys inside the conversation: elsewhere, arrows scroll or move the focus. */
    const inConversation: KeyMap = {
      ArrowDown: to(index + 1),
      ArrowUp: to(index - 1),
      Home: to(0),
      End: to(turns.length - 1),
      ArrowRight: withTurn((turn) => fold(turn, true)),
      ArrowLeft: withTurn((turn) => fold(turn, false)),
      Enter: withTurn((turn) => navigate(traceHref(traceKey(turn)))),
    };
    const anywhere: KeyMap = {
      "+": withTurn((turn) => rate(turn, 1)),
      "=": withTurn((turn) => rate(turn, 1)),
      "-": withTurn((turn) => rate(turn, 0)),
      "−": withTurn((turn) => rate(turn, 0)),
      "/": openSearch,
      c: before && withTurn((turn) => navigate(compareHref({ a: traceKey(before), b: traceKey(turn) }))),
      y: copyLink,
      "]": togglePane,
      j: openOlder,
      k: openNewer,
      Escape: closeSearch ?? closePane ?? (() => navigate("/sessions")),
    };
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isHandledElsewhere(event.target)) return;
      const action = (isInConversation(event) ? inConversation[event.key] : undefined) ?? anywhere[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });
}

function traceKey({ trace_id: traceId, tenant }: TraceSummary): TraceKey {
  return { traceId, tenant };
}

type KeyMap = Readonly<Record<string, (() => void) | undefined>>;

/** A focused button or link acts on Enter itself. */
function isInConversation({ target, key }: KeyboardEvent): boolean {
  if (target === document.body) return true;
  if (!(target instanceof Element) || target.closest("[role=feed]") === null) return false;
  return key !== "Enter" || target.closest("button, a") === null;
}
