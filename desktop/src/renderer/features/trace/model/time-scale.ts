import type { SpanNode } from "@obspan/collector-core/analysis";

/** The visible time window, in milliseconds from the start of the trace. */
export interface TimeWindow {
  readonly startMs: number;
  readonly endMs: number;
}

/** Ruler steps that are not decimal. */
const LONG_STEPS = [10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000];
const MANTISSAS = [1, 2, 3, 5];
/** The window is at least this share of the trace, and a microsecond. */
const DEEPEST_ZOOM = 1 / 20_000;
const SHORTEST_MS = 0.001;
/** A round end is used if it leaves at most this share empty. */
const ROUND_END = 1.06;
const SPARE = 1.012;

/** The window of the whole trace. It ends at a ruler line if one is close. */
export function fitWindow(lengthMs: number, maxTicks = 5): TimeWindow {
  // For a trace without duration, the ruler shows a millisecond.
  const length = lengthMs > 0 ? Math.max(lengthMs, SHORTEST_MS) : 1;
  const step = tickStep(length, maxTicks);
  const round = Math.ceil(length / step) * step;
  return { startMs: 0, endMs: round <= length * ROUND_END ? round : length * SPARE };
}

/**
 * The window after zooming around a time, which keeps its place on the screen.
 *
 * @param factor - below 1 zooms in.
 * @returns undefined for the whole trace.
 */
export function zoomWindow(
  shown: TimeWindow,
  whole: TimeWindow,
  factor: number,
  aboutMs: number,
): TimeWindow | undefined {
  const fitLength = whole.endMs - whole.startMs;
  const shortest = Math.max(fitLength * DEEPEST_ZOOM, SHORTEST_MS);
  const length = Math.max((shown.endMs - shown.startMs) * factor, shortest);
  const share = (aboutMs - shown.startMs) / (shown.endMs - shown.startMs);
  return clampWindow({ startMs: aboutMs - share * length, endMs: aboutMs + (1 - share) * length }, whole);
}

/** The window, moved by a time. */
export function panWindow(shown: TimeWindow, whole: TimeWindow, byMs: number): TimeWindow | undefined {
  return clampWindow({ startMs: shown.startMs + byMs, endMs: shown.endMs + byMs }, whole);
}

/** The window between two times, in any order. */
export function windowBetween(aMs: number, bMs: number, whole: TimeWindow): TimeWindow | undefined {
  const shortest = Math.max((whole.endMs - whole.startMs) * DEEPEST_ZOOM, SHORTEST_MS);
  const startMs = Math.max(whole.startMs, Math.min(aMs, bMs));
  return clampWindow(
    { startMs, endMs: Math.max(Math.min(whole.endMs, Math.max(aMs, bMs)), startMs + shortest) },
    whole,
  );
}

/** The window, moved as little as possible to show a span, or its start if the span is longer than the window. */
export function revealWindow(
  shown: TimeWindow,
  whole: TimeWindow,
  span: { startMs: number; endMs: number },
): TimeWindow | undefined {
  const length = shown.endMs - shown.startMs;
  if (span.startMs < shown.endMs && span.endMs > shown.startMs) return clampWindow(shown, whole);
  return clampWindow({ startMs: span.startMs - length * 0.1, endMs: span.startMs + length * 0.9 }, whole);
}

/** The window, moved back inside the trace; undefined if it covers the whole trace. */
function clampWindow(window: TimeWindow, whole: TimeWindow): TimeWindow | undefined {
  const length = window.endMs - window.startMs;
  if (length >= (whole.endMs - whole.startMs) * 0.999) return undefined;
  const startMs = Math.min(Math.max(window.startMs, whole.startMs), whole.endMs - length);
  return { startMs, endMs: startMs + length };
}

/** Position of a time in a window, from 0 to 1; outside values lie beyond them. */
export function shareOf(window: TimeWindow, ms: number): number {
  return (ms - window.startMs) / (window.endMs - window.startMs);
}

/** The smallest round step that yields at most this many parts. */
export function tickStep(lengthMs: number, maxTicks: number): number {
  const least = lengthMs / maxTicks;
  if (least <= 10_000) {
    const power = 10 ** Math.floor(Math.log10(least));
    const mantissa = MANTISSAS.find((candidate) => candidate * power >= least * (1 - 1e-9)) ?? 10;
    return mantissa * power;
  }
  const long = LONG_STEPS.find((step) => step >= least);
  return long ?? Math.ceil(least / 3_600_000) * 3_600_000;
}

/** A line of the ruler. */
export interface Tick {
  readonly ms: number;
  readonly label: string;
}

/** The ruler's lines inside a window. */
export function ticksOf(window: TimeWindow, maxTicks = 5): Tick[] {
  const step = tickStep(window.endMs - window.startMs, maxTicks);
  const ticks: Tick[] = [];
  const first = Math.ceil(window.startMs / step - 1e-6);
  for (let index = first; index * step <= window.endMs * (1 + 1e-9); index++) {
    const ms = index * step;
    ticks.push({ ms, label: tickLabel(ms, step, window.endMs) });
  }
  return ticks;
}

/** `0`, `400 ms`, `1.25 s`, `2 m 30 s`: with the precision of the step. */
function tickLabel(ms: number, stepMs: number, endMs: number): string {
  if (ms === 0) return "0";
  if (endMs < 1000) return `${ms.toFixed(decimals(stepMs))} ms`;
  const seconds = (ms / 1000).toFixed(decimals(stepMs / 1000));
  if (ms < 60_000 || stepMs < 1000) return `${seconds} s`;
  const whole = Math.round(ms / 1000);
  const parts = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor(whole / 60) % 60, "m"],
    [whole % 60, "s"],
  ] as const;
  return parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}

function decimals(step: number): number {
  return Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
}

/** The middle of a span, which is the center of zooming by keys; for a running span, its start. */
export function middleOf(node: SpanNode | undefined): number | undefined {
  return node && (node.startMs + (node.endMs ?? node.startMs)) / 2;
}
