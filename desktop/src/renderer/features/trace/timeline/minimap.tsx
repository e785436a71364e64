import { useMemo, useRef, type PointerEvent } from "react";
import { typeClass } from "../../../components/span-icon.js";
import { panWindow, shareOf, windowBetween, type TimeWindow } from "../model/time-scale.js";
import { minimapPaths, MINIMAP_HEIGHT, MINIMAP_WIDTH } from "../model/minimap-paths.js";
import { useTracePage } from "../trace-page-context.js";
import { classNames } from "../../../components/class-names.js";
import textStyles from "../../../components/text.module.css";
import styles from "./minimap.module.css";

interface MinimapProps {
  readonly shown: TimeWindow;
  readonly whole: TimeWindow;
  readonly nowMs: number;
  readonly width: number;
  readonly isZoomed: boolean;
}

/** Distance from an edge of the window at which a press grabs it, in pixels. */
const GRIP = 6;
/** Movement up to which a press is a click, in pixels. */
const CLICK = 3;

interface Drag {
  readonly kind: "pan" | "start" | "end" | "new";
  readonly fromX: number;
  readonly from: TimeWindow;
}

/**
 * Overview of the whole trace. Dragging selects a new window, moves its edges, or moves the window. Keys and buttons do
 * the same, so it is hidden from screen readers.
 */
export function Minimap({ shown, whole, nowMs, width, isZoomed }: MinimapProps) {
  const { tree, view } = useTracePage();
  const drag = useRef<Drag | undefined>(undefined);
  const paths = useMemo(() => minimapPaths(tree, nowMs, whole), [tree, nowMs, whole]);
  const left = shareOf(whole, shown.startMs) * width;
  const right = shareOf(whole, shown.endMs) * width;
  const msAt = (x: number): number => whole.startMs + (x / width) * (whole.endMs - whole.startMs);

  function onDown(event: PointerEvent<HTMLDivElement>): void {
    if (event.button !== 0 || width === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const x = event.nativeEvent.offsetX;
    drag.current = { kind: dragKind(x, left, right, isZoomed), fromX: x, from: shown };
  }

  function onMove(event: PointerEvent<HTMLDivElement>): void {
    if (drag.current === undefined) return;
    const { kind, fromX, from } = drag.current;
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    if (Math.abs(x - fromX) < CLICK) return;
    const byMs = msAt(x) - msAt(fromX);
    const { setWindow } = view.getState();
    if (kind === "pan") setWindow(panWindow(from, whole, byMs));
    else if (kind === "start") setWindow(windowBetween(from.startMs + byMs, from.endMs, whole));
    else if (kind === "end") setWindow(windowBetween(from.startMs, from.endMs + byMs, whole));
    else setWindow(windowBetween(msAt(fromX), msAt(x), whole));
  }

  return (
    <div
      className={styles.minimap}
      aria-hidden
      data-tip="Drag to zoom, double-click to fit"
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={() => (drag.current = undefined)}
      onDoubleClick={() => view.getState().setWindow(undefined)}
    >
      <svg viewBox={`0 0 ${MINIMAP_WIDTH} ${MINIMAP_HEIGHT}`} preserveAspectRatio="none">
        {paths.map(({ kind, path }) => (
          <path key={kind} className={kind === "error" ? textStyles.error : typeClass(kind)} d={path} />
        ))}
      </svg>
      {isZoomed && <span className={styles.veil} style={{ left: 0, width: left }} />}
      {isZoomed && <span className={styles.veil} style={{ left: right, right: 0 }} />}
      <span
        className={isZoomed ? styles.window : classNames(styles.window, styles.all)}
        style={{ left, width: Math.max(4, right - left) }}
      />
    </div>
  );
}

function dragKind(x: number, left: number, right: number, isZoomed: boolean): Drag["kind"] {
  if (Math.abs(x - left) <= GRIP) return "start";
  if (Math.abs(x - right) <= GRIP) return "end";
  return isZoomed && x > left && x < right ? "pan" : "new";
}
