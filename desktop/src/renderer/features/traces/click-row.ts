import type { MouseEvent } from "react";
import type { Selection } from "./use-selection.js";

interface ClickedRows<Row> {
  readonly rows: readonly Row[];
  /** Of the row that the keys are on; -1 if there is none. */
  readonly activeIndex: number;
  readonly selection: Pick<Selection<Row>, "toggle" | "extendTo">;
  readonly hrefOf: (row: Row) => string;
  /** Makes a row the active one. */
  readonly activate: (row: Row) => void;
  /** Opens a row, which becomes the active one. */
  readonly open: (row: Row) => void;
}

/** What a click in a list does: it selects a row, opens it in another tab, or opens it. */
export function clickRow<Row>(event: MouseEvent, list: ClickedRows<Row>): void {
  const { rows, activeIndex, selection, hrefOf, activate, open } = list;
  const target = event.target as Element;
  const index = Number(target.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? -1);
  const row = rows[index];
  if (row === undefined) return;
  if (target.closest("[data-selects]") !== null) {
    activate(row);
    if (event.shiftKey) selection.extendTo(index, activeIndex === -1 ? index : activeIndex);
    else selection.toggle(row);
  } else if (event.ctrlKey || event.metaKey || event.button === 1) {
    // The browser handles links itself.
    if (target.closest("a") === null) window.open(hrefOf(row), "_blank", "noopener");
  } else {
    event.preventDefault();
    open(row);
  }
}
