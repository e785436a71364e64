import { useState, type PointerEvent } from "react";
import { rangeBetween, type BucketRange, type TimeBuckets } from "./time-buckets.js";

/** Pointer state of the histogram. */
export interface Brush {
  /** The range being drawn; undefined if none. */
  readonly drawn: BucketRange | undefined;
  /** The bar below the pointer. */
  readonly hovered: number | undefined;
  /** The bars at the time of the press; they do not move while drawing. */
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
  /** The fixed end: where the pointer went down, or the opposite edge if an edge was grabbed. */
  readonly anchor: number;
  readonly at: number;
}

/** Distance from an edge of the chosen range at which a press grabs it. */
const EDGE_PX = 6;

/** Selects a range with the pointer, or moves an edge of the chosen one. */
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

  /** The opposite end of the chosen range, if the pointer is on one of its edges. */
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
