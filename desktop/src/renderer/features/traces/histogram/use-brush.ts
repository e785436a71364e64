import { useState, type PointerEvent } from "react";
import { rangeBetween, type BucketRange, type TimeBuckets } from "./time-buckets.js";

/** What a pointer does on the histogram. */
export interface Brush {
  /** What is being drawn; undefined while nothing is. */
  readonly drawn: BucketRange | undefined;
  /** The bar below the pointer. */
  readonly hovered: number | undefined;
  /** The bars as they were when the pointer went down: they keep still below it. */
  readonly held: TimeBuckets | undefined;
  readonly handlers: {
    onPointerDown(event: PointerEvent<HTMLElement>): void;
    onPointerMove(event: PointerEvent<HTMLElement>): void;
    onPointerUp(event: PointerEvent<HTMLElement>): void;
    onPointerCancel(): void;
    onPointerLeave(): void;
  };
}

interface Drawing {
  readonly buckets: TimeBuckets;
  /** The bar that stays: where the pointer went down, or the other end where an edge was taken. */
  readonly anchor: number;
  readonly at: number;
}

/** A pointer this near to an edge of what is chosen takes it. */
const EDGE_PX = 6;

/** Draws a range with the pointer, or moves an edge of the chosen one. */
export function useBrush(
  buckets: TimeBuckets,
  chosen: BucketRange | undefined,
  onDraw: (range: BucketRange, buckets: TimeBuckets) => void,
): Brush {
  const [drawing, setDrawing] = useState<Drawing>();
  const [hovered, setHovered] = useState<number>();
  const shown = drawing?.buckets ?? buckets;

  function barAt(event: PointerEvent<HTMLElement>): number {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * shown.bars.length);
    return Math.max(0, Math.min(shown.bars.length - 1, index));
  }

  /** The other end of the chosen range, where the pointer is on an edge of it. */
  function oppositeEnd(event: PointerEvent<HTMLElement>): number | undefined {
    if (chosen === undefined) return undefined;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const distance = (edge: number): number =>
      Math.abs(event.clientX - left - (edge / shown.bars.length) * width);
    if (distance(chosen.from) <= EDGE_PX) return chosen.to - 1;
    return distance(chosen.to) <= EDGE_PX ? chosen.from : undefined;
  }

  return {
    drawn: drawing && rangeBetween(drawing.anchor, drawing.at),
    hovered,
    held: drawing?.buckets,
    handlers: {
      onPointerDown(event) {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = barAt(event);
        setDrawing({ buckets, anchor: oppositeEnd(event) ?? at, at });
      },
      onPointerMove(event) {
        const at = barAt(event);
        setHovered(at);
        if (drawing !== undefined && at !== drawing.at) setDrawing({ ...drawing, at });
      },
      onPointerUp(event) {
        if (drawing === undefined) return;
        setDrawing(undefined);
        onDraw(rangeBetween(drawing.anchor, barAt(event)), drawing.buckets);
      },
      onPointerCancel: () => setDrawing(undefined),
      onPointerLeave: () => setHovered(undefined),
    },
  };
}
