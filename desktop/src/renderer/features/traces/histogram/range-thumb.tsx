import type { KeyboardEvent } from "react";
import { classNames } from "../../../components/class-names.js";
import histogramStyles from "./histogram.module.css";

interface RangeThumbProps {
  readonly name: string;
  /** The thumb extends outwards, so that two adjacent ones stay apart. */
  readonly side: "start" | "end";
  /** The bucket edge at which the thumb is. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Number of buckets. */
  readonly count: number;
  readonly text: string;
  /** Whether a time range is chosen; then the thumb is visible without the focus. */
  readonly isSet: boolean;
  readonly onMove: (value: number) => void;
  readonly onClear: () => void;
}

/** One end of the chosen time range, moved with the arrow keys. The pointer uses the plot instead. */
export function RangeThumb({
  name,
  side,
  value,
  min,
  max,
  count,
  text,
  isSet,
  onMove,
  onClear,
}: RangeThumbProps) {
  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.max(2, Math.round(count / 10));
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: value - 1,
      ArrowDown: value - 1,
      ArrowRight: value + 1,
      ArrowUp: value + 1,
      PageDown: value - page,
      PageUp: value + page,
      Home: min,
      End: max,
    };
    const target = targets[event.key];
    if (event.key === "Escape" && isSet) onClear();
    else if (target !== undefined) onMove(Math.max(min, Math.min(max, target)));
    else return;
    event.preventDefault();
  }
  return (
    <div
      className={classNames(histogramStyles.thumb, histogramStyles[side], isSet && histogramStyles.set)}
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={text}
      style={{ left: `${(value / count) * 100}%` }}
      onKeyDown={onKeyDown}
    />
  );
}
