import { useEffect, useRef, type RefObject } from "react";
import { overlays } from "../../frame/overlays.js";
import type { Folds } from "./folds.js";
import { foldKeys, type TranscriptRow } from "./transcript-rows.js";

/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 5;

interface TranscriptKeys {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rows: readonly TranscriptRow[];
  /** Index of the chosen row; -1 if none. */
  readonly current: number;
  readonly choose: (row: TranscriptRow | undefined) => void;
  readonly folds: Folds;
}

/** Keys inside the transcript: they move between its rows, and open and close them. */
export function useTranscriptKeys(keys: TranscriptKeys): void {
  const { scroller, current } = keys;
  const latest = useRef(keys);
  const wasMoved = useRef(false);
  useEffect(() => {
    latest.current = keys;
  });

  // The chosen row has the focus, if a key chose it.
  const currentKey = keys.rows[current]?.key;
  useEffect(() => {
    if (!wasMoved.current) return;
    wasMoved.current = false;
    const frame = requestAnimationFrame(() => focusRow(scroller.current));
    return () => cancelAnimationFrame(frame);
  }, [currentKey, scroller]);

  // Focused at once, so that the keys work without a click.
  useEffect(() => {
    if (document.activeElement !== document.body) return;
    const frame = requestAnimationFrame(() => focusRow(scroller.current, true));
    return () => cancelAnimationFrame(frame);
  }, [scroller]);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (overlays.getState().open !== "none" || !isInside(event.target, latest.current.scroller.current))
        return;
      if (!act(event.key, latest.current)) return;
      wasMoved.current = true;
      event.preventDefault();
    };
    // Before the keys of the page, which move between spans.
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => window.removeEventListener("keydown", onKeyDown, { capture: true });
  }, []);
}

function act(key: string, { rows, current, choose, folds }: TranscriptKeys): boolean {
  const moveTo = (index: number): true => {
    choose(rows[Math.min(Math.max(index, 0), rows.length - 1)]);
    return true;
  };
  const row = rows[current];
  switch (key) {
    case "ArrowDown":
      return moveTo(current + 1);
    case "ArrowUp":
      return moveTo(current - 1);
    case "PageDown":
      return moveTo(current + PAGE_ROWS);
    case "PageUp":
      return moveTo(current - PAGE_ROWS);
    case "Home":
      return moveTo(0);
    case "End":
      return moveTo(rows.length - 1);
    case "ArrowRight":
    case "ArrowLeft":
      if (row !== undefined) folds.set(foldKeys(row), key === "ArrowRight");
      return true;
    default:
      return false;
  }
}

/** Buttons and links inside a row use no arrow keys. */
function isInside(target: EventTarget | null, scroller: HTMLElement | null): boolean {
  return (
    target === document.body || (target instanceof Node && scroller !== null && scroller.contains(target))
  );
}

function focusRow(scroller: HTMLElement | null, isQuiet = false): void {
  const row = scroller?.querySelector<HTMLElement>("[role=feed] > [tabindex='0']");
  if (row == null) return;
  row.focus({ preventScroll: true });
  if (!isQuiet || scroller === null) return;
  // The focus ring is hidden until the first key press.
  scroller.dataset["quiet"] = "";
  scroller.addEventListener("keydown", () => delete scroller.dataset["quiet"], { once: true });
}
