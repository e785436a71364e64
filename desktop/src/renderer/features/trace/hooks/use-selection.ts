import { useMemo } from "react";
import type { SpanNode } from "@obspan/collector-core/analysis";
import { ancestorIds, nextInOrder } from "../model/visible-rows.js";
import { useTracePage } from "../trace-page-context.js";

/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 20;

/** Moves the selection, for keys and buttons. */
export interface SelectionMoves {
  /** Selects a span and unfolds its ancestors. */
  readonly select: (node: SpanNode | undefined) => void;
  /** Moves by visible rows. */
  readonly moveBy: (rows: number) => void;
  readonly pageBy: (pages: 1 | -1) => void;
  readonly moveTo: (end: "first" | "last") => void;
  /** Folds the span, or selects its parent if it cannot be folded. */
  readonly foldOrLeave: () => void;
  /** Unfolds the span, or selects its first child if it is open. */
  readonly unfoldOrEnter: () => void;
  /** Selects the next of some spans, wrapping around at the end. */
  readonly selectAmong: (candidates: readonly SpanNode[], step: 1 | -1) => void;
}

export function useSelection(): SelectionMoves {
  const { view, tree, rows, selected } = useTracePage();
  return useMemo(() => {
    const at = selected === undefined ? -1 : rows.indexOf(selected);
    const isFolded = selected !== undefined && view.getState().folded.has(selected.id);
    const hasChildren = selected !== undefined && selected.children.length > 0;
    const select = (node: SpanNode | undefined): void => {
      if (node !== undefined) view.getState().select(node.id, ancestorIds(node));
    };
    const moveBy = (by: number): void => {
      // The selected span may be hidden in a folded one: start from the visible ancestor.
      const hiddenBelow =
        selected && ancestorIds(selected).map((id) => rows.findIndex((row) => row.id === id));
      const from = at >= 0 ? at : (hiddenBelow?.find((index) => index >= 0) ?? 0);
      select(rows[Math.min(Math.max(from + by, 0), rows.length - 1)]);
    };
    return {
      select,
      moveBy,
      pageBy: (pages) => moveBy(pages * PAGE_ROWS),
      moveTo: (end) => select(end === "first" ? rows[0] : rows.at(-1)),
      foldOrLeave() {
        if (selected !== undefined && hasChildren && !isFolded) view.getState().setFolded(selected.id, true);
        else select(selected?.parent);
      },
      unfoldOrEnter() {
        if (selected !== undefined && hasChildren && isFolded) view.getState().setFolded(selected.id, false);
        else select(selected?.children[0]);
      },
      selectAmong: (candidates, step) => select(nextInOrder(tree, candidates, selected, step)),
    };
  }, [view, tree, rows, selected]);
}

/** Focuses the list of spans, or the row of the transcript. */
export function focusSpans(): void {
  document
    .querySelector<HTMLElement>("[role=treegrid], [role=feed] > [tabindex='0'], [data-spans] [tabindex='0']")
    ?.focus();
}
