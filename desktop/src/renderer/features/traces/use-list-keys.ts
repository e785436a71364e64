import { useEffect, type RefObject } from "react";
import { overlays } from "../frame/overlays.js";

/** Actions of the list's shortcuts. */
export interface ListCommands {
  /** Moves the active row to `index`, or the end of the selection if `isExtending`. */
  move(index: number, isExtending: boolean): void;
  open(): void;
  toggle(): void;
  follow(): void;
  /** Compares the two selected rows; undefined in lists without it. */
  compare?(): void;
  clear(): void;
}

/** State of the list for the shortcuts. */
export interface ListState {
  readonly rowCount: number;
  /** -1 if no row is active. */
  readonly activeIndex: number;
  readonly rowsPerPage: () => number;
  /** Whether rows above the first one were let go. */
  readonly hasRowsAbove: boolean;
}

/** Moves of the active row, by key. */
export function moveTarget(
  key: string,
  { rowCount, activeIndex, rowsPerPage }: Omit<ListState, "hasRowsAbove">,
): number | undefined {
  const last = rowCount - 1;
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: activeIndex + 1,
    ArrowUp: activeIndex === -1 ? 0 : activeIndex - 1,
    PageDown: activeIndex + rowsPerPage(),
    PageUp: activeIndex - rowsPerPage(),
    Home: 0,
    End: last,
  };
  const target = targets[key];
  return target === undefined || last < 0 ? undefined : Math.max(0, Math.min(last, target));
}

/**
 * The list's shortcuts work on the whole page without a click first: not in fields, menus or dialogs, and movement not
 * on other controls.
 */
export function useListKeys(
  table: RefObject<HTMLElement | null>,
  state: ListState,
  commands: ListCommands,
): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isHandledElsewhere(event.target)) return;
      const isOnList =
        event.target === document.body || table.current?.contains(event.target as Node) === true;
      const target = isOnList ? moveTarget(event.key, state) : undefined;
      if (target !== undefined && event.key === "Home" && state.hasRowsAbove) commands.follow();
      else if (target !== undefined) commands.move(target, event.shiftKey && event.key.startsWith("Arrow"));
      else if (event.key === "Enter" && isOnList && state.activeIndex !== -1) commands.open();
      else if (event.key.toLowerCase() === "x" && state.activeIndex !== -1) commands.toggle();
      else if (event.key.toLowerCase() === "l") commands.follow();
      else if (event.key.toLowerCase() === "c" && commands.compare !== undefined) commands.compare();
      else if (event.key === "Escape") commands.clear();
      else return;
      event.preventDefault();
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });
}

/** True if a field, a menu or a dialog handles the keys. */
export function isHandledElsewhere(target: EventTarget | null): boolean {
  if (overlays.getState().open !== "none") return true;
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], [role=menu], [role=dialog]") !== null
  );
}
