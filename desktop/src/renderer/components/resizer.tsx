import { useRef, type KeyboardEvent } from "react";
import { classNames } from "./class-names.js";
import styles from "./resizer.module.css";

/** Pixels per arrow key; the larger one with Shift. */
const STEP = 16;
const LARGE_STEP = 96;

interface ResizerProps {
  /** What is resized. */
  readonly label: string;
  /** The wanted width, and its limits, in pixels. */
  readonly width: number;
  readonly min: number;
  /** Changes with the space that there is. */
  readonly max: () => number;
  /** Where the resized part is. */
  readonly side: "left" | "right";
  /** Whether the width is another one than the usual one. */
  readonly isChosen?: boolean;
  readonly className: string | undefined;
  /** Takes the wanted width, which may be beyond the limits; undefined for the usual one. */
  readonly onResize: (width: number | undefined) => void;
}

/** A divider that can be dragged or moved with the arrow keys. */
export function Resizer({
  label,
  width,
  min,
  max,
  side,
  isChosen = true,
  className,
  onResize,
}: ResizerProps) {
  const grip = useRef<{ readonly x: number; readonly width: number }>(undefined);
  const direction = side === "left" ? 1 : -1;
  const shown = (): number => Math.min(width, max());
  const release = (): void => {
    grip.current = undefined;
  };

  function onKeyDown(event: KeyboardEvent): void {
    const step = direction * (event.shiftKey ? LARGE_STEP : STEP);
    if (event.key === "ArrowLeft") onResize(shown() - step);
    else if (event.key === "ArrowRight") onResize(shown() + step);
    else if (event.key === "Home") onResize(min);
    else if (event.key === "End") onResize(max());
    else if (event.key === "Enter") onResize(undefined);
    else return;
    event.preventDefault();
  }

  return (
    <div
      className={classNames(styles.resizer, className)}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={Math.max(width, max())}
      tabIndex={0}
      data-tip={isChosen ? "Drag to resize, double-click for the usual width" : "Drag to resize"}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { x: event.clientX, width: shown() };
      }}
      onPointerMove={({ clientX }) => {
        if (grip.current !== undefined) onResize(grip.current.width + direction * (clientX - grip.current.x));
      }}
      onPointerUp={release}
      onPointerCancel={release}
      onDoubleClick={() => onResize(undefined)}
      onKeyDown={onKeyDown}
    />
  );
}
