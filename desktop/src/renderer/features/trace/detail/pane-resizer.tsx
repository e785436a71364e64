import { useRef, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { usePreferences, useStores } from "../../../app-context.js";
import { DEFAULT_PREFERENCES } from "../../../store/preferences-store.js";
import styles from "./pane-resizer.module.css";

/** Smallest width of the pane, and the width that the spans keep. */
const MIN_WIDTH = 400;
const SPANS_WIDTH = 420;
/** Pixels per arrow key; the larger one with Shift. */
const STEP = 16;
const LARGE_STEP = 96;

/**
 * The divider between the spans and the selected one. It can be dragged or moved with the arrow keys; the width is
 * stored.
 */
export function PaneResizer({ container }: { container: RefObject<HTMLDivElement | null> }) {
  const { preferences } = useStores();
  const width = usePreferences(({ detailWidth }) => detailWidth);
  const dragging = useRef(false);

  const maxWidth = (): number => Math.max(MIN_WIDTH, (container.current?.clientWidth ?? 0) - SPANS_WIDTH);
  function resize(wanted: number): void {
    preferences.setState({ detailWidth: Math.round(Math.min(Math.max(wanted, MIN_WIDTH), maxWidth())) });
  }

  function onMove(event: PointerEvent): void {
    const right = container.current?.getBoundingClientRect().right;
    if (dragging.current && right !== undefined) resize(right - event.clientX);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const shown = Math.min(width, maxWidth());
    if (event.key === "ArrowLeft") resize(shown + step);
    else if (event.key === "ArrowRight") resize(shown - step);
    else if (event.key === "Home") resize(MIN_WIDTH);
    else if (event.key === "End") resize(maxWidth());
    else if (event.key === "Enter") resize(DEFAULT_PREFERENCES.detailWidth);
    else return;
    event.preventDefault();
  }

  return (
    <div
      className={styles.resizer}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the selected span"
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={Math.max(width, maxWidth())}
      tabIndex={0}
      title="Drag to resize, double-click for the usual width"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragging.current = true;
      }}
      onPointerMove={onMove}
      onPointerUp={() => (dragging.current = false)}
      onPointerCancel={() => (dragging.current = false)}
      onDoubleClick={() => resize(DEFAULT_PREFERENCES.detailWidth)}
      onKeyDown={onKeyDown}
    />
  );
}
