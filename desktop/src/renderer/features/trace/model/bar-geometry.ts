import { numberOf, isModelCall } from "./span-facts.js";
import type { Segment } from "./critical-path.js";
import type { SpanNode } from "./span-tree.js";
import { shareOf, type TimeWindow } from "./time-scale.js";

/** A stretch of the track, in pixels. */
export interface Box {
  readonly left: number;
  readonly width: number;
}

/** Where a span's bar stands on its track. */
export interface BarGeometry extends Box {
  /** Time before the first token, at the bar's left; 0 where it is not known or not seen. */
  readonly waitWidth: number;
  /** The bar lies wholly outside of what is shown, on this side. */
  readonly outside: "before" | "after" | undefined;
}

/** Bars are cut this far outside of the track: widths of a deep zoom would be more than a browser can draw. */
const OVERHANG = 4;
/** A span without length is seen all the same. */
const MIN_WIDTH = 2;
/** A parent's moments between its children would be specks. */
const MIN_OWN_WIDTH = 3;

/** @param endMs - where the bar ends: of a span that runs, now. */
export function barGeometry(
  node: SpanNode,
  endMs: number,
  window: TimeWindow,
  trackWidth: number,
): BarGeometry {
  const from = pixel(node.startMs, window, trackWidth);
  const to = pixel(endMs, window, trackWidth);
  const ttftMs = isModelCall(node.span) ? numberOf(node.span, "ttft_ms") : undefined;
  const waited = ttftMs === undefined ? node.startMs : Math.min(node.startMs + ttftMs, endMs);
  const isBefore = shareOf(window, endMs) < 0;
  const isAfter = shareOf(window, node.startMs) > 1;
  return {
    left: from,
    width: Math.max(MIN_WIDTH, to - from),
    waitWidth: Math.max(0, pixel(waited, window, trackWidth) - from),
    outside: isBefore ? "before" : isAfter ? "after" : undefined,
  };
}

/** The stretches of the critical path on a track. */
export function pathBoxes(
  segments: readonly Segment[],
  window: TimeWindow,
  trackWidth: number,
  isParent: boolean,
): Box[] {
  const seen = segments.filter(({ startMs, endMs }) => endMs >= window.startMs && startMs <= window.endMs);
  const boxes = seen.map(({ startMs, endMs }) => {
    const left = pixel(startMs, window, trackWidth);
    return { left, width: Math.max(MIN_WIDTH, pixel(endMs, window, trackWidth) - left) };
  });
  return isParent ? boxes.filter(({ width }) => width >= MIN_OWN_WIDTH) : boxes;
}

function pixel(ms: number, window: TimeWindow, trackWidth: number): number {
  const position = shareOf(window, ms) * trackWidth;
  return Math.min(Math.max(position, -OVERHANG), trackWidth + OVERHANG);
}

/** Width of a character of the note, and its distance from the bar. */
const CHARACTER = 6.2;
const NOTE_GAP = 8;

/** On which side of its bar a note has room; undefined where on neither. */
export function noteSide(bar: BarGeometry, text: string, trackWidth: number): "right" | "left" | undefined {
  const needed = text.length * CHARACTER + NOTE_GAP;
  if (trackWidth - bar.left - bar.width >= needed) return "right";
  return bar.left >= needed ? "left" : undefined;
}
