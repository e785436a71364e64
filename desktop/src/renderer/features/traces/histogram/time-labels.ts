import { formatDay, formatTime } from "../../../format.js";
import { bucketStart, type TimeBuckets } from "./time-buckets.js";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Natural steps of a time axis. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * 1000),
  ...[1, 2, 5, 10, 15, 20, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * 60 * MINUTE_MS),
  ...[1, 2, 7, 14, 30, 90, 180, 360].map((count) => count * DAY_MS),
];
/** Smallest distance between labels. */
const LABEL_PX = 110;

/** A label of the axis. */
export interface TimeLabel {
  /** Position as a share of the width. */
  readonly at: number;
  readonly text: string;
}

/** The labels below the bars, at round local times. */
export function timeLabels(buckets: TimeBuckets, width: number): TimeLabel[] {
  const wholeMs = buckets.lengthMs * buckets.bars.length;
  const wantedMs = (wholeMs * LABEL_PX) / Math.max(width, LABEL_PX);
  const stepMs = STEPS_MS.find((step) => step >= wantedMs) ?? wholeMs;
  const { startMs } = buckets;
  const offsetMs = new Date(startMs).getTimezoneOffset() * MINUTE_MS;
  const labels: TimeLabel[] = [];
  for (
    let ms = Math.ceil((startMs - offsetMs) / stepMs) * stepMs + offsetMs;
    ms < startMs + wholeMs;
    ms += stepMs
  ) {
    const at = (ms - startMs) / wholeMs;
    // Labels that would be cut at an edge are left out.
    if (at * width > 20 && (1 - at) * width > 20) labels.push({ at, text: labelText(ms, stepMs) });
  }
  return labels;
}

function labelText(ms: number, stepMs: number): string {
  const time = new Date(ms).toISOString();
  if (stepMs >= DAY_MS) return formatDay(time);
  const text = formatTime(time);
  return stepMs < MINUTE_MS ? text : text.slice(0, 5);
}

/** `14:04`; with seconds if buckets are shorter than a minute, and with the day if it is not today. */
export function formatMoment(ms: number, lengthMs: number, nowMs: number): string {
  const time = new Date(ms).toISOString();
  const text = lengthMs < MINUTE_MS ? formatTime(time) : formatTime(time).slice(0, 5);
  const isToday = formatDay(time) === formatDay(new Date(nowMs).toISOString());
  return isToday ? text : `${formatDay(time)} ${text}`;
}

/** `14:04 – 14:32`. */
export function formatRange(buckets: TimeBuckets, from: number, to: number, nowMs: number): string {
  const at = (index: number): string => formatMoment(bucketStart(buckets, index), buckets.lengthMs, nowMs);
  return `${at(from)} – ${at(to)}`;
}
