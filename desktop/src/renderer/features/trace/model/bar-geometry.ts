import { isModelCall, numberOf, type Segment, type SpanNode } from "@obspan/collector-core/analysis";
import { shareOf, type TimeWindow } from "./time-scale.js";

/** A stretch of the track, in pixels. */
export interface Box {
  readonly left: number;
  readonly width: number;
}

/** Position of a span's bar on its track. */
export interface BarGeometry extends Box {
  /** Width of the time before the first token; 0 if it is not known or not visible. */
  readonly waitWidth: number;
  /** The side on which the bar lies completely outside the window. */
  readonly outside: "before" | "after" | undefined;
}

/** Bars are clipped this far outside the track, because deep zooms would exceed what browsers can draw. */
const OVERHANG = 4;
/** Smallest width of a bar. */
const MIN_WIDTH = 2;
/** Shorter parts of a parent's critical path are left out. */
const MIN_OWN_WIDTH = 3;

/** @param endMs - the end of the bar; for a running span, the current time. */
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

/** The parts of the critical path on a track. */
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

/** Width of a character of the note, and its distance to the bar. */
const CHARACTER = 6.2;
const NOTE_GAP = 8;

/** The side of the bar on which a note fits; undefined if neither. */
export function noteSide(bar: BarGeometry, text: string, trackWidth: number): "right" | "left" | undefined {
  const needed = text.length * CHARACTER + NOTE_GAP;
  if (trackWidth - bar.left - bar.width >= needed) return "right";
  return bar.left >= needed ? "left" : undefined;
}
