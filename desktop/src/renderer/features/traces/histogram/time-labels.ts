import { formatDay, formatTime } from "../../../format.js";
import { bucketStart, type TimeBuckets } from "./time-buckets.js";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Natural steps of a time axis. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * 1000),
  ...[1, 2, 5, 10, 15, 20, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * 60 * MINUTE_MS),
  ...[1, 2, 7, 14, 30, 90, 180, 360, 720, 1800, 3600, 7200, 18_000].map((count) => count * DAY_MS),
];
/** From this step on, labels name the year instead of the day. */
const MONTHS_MS = 90 * DAY_MS;
/** Smallest distance between labels. */
const LABEL_PX = 110;
/** Smallest distance between a label and an edge. */
const EDGE_PX = 24;

const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });

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
  const endMs = startMs + wholeMs;
  const labels: TimeLabel[] = [];
  for (const ms of stepMs >= DAY_MS ? days(startMs, endMs, stepMs / DAY_MS) : times(startMs, endMs, stepMs)) {
    const at = (ms - startMs) / wholeMs;
    // Labels that would be cut at an edge are left out.
    if (at * width > EDGE_PX && (1 - at) * width > EDGE_PX) labels.push({ at, text: labelText(ms, stepMs) });
  }
  return labels;
}

/** Round times of the clock. */
function* times(startMs: number, endMs: number, stepMs: number): Generator<number> {
  const offsetMs = new Date(startMs).getTimezoneOffset() * MINUTE_MS;
  const first = Math.ceil((startMs - offsetMs) / stepMs) * stepMs + offsetMs;
  for (let ms = first; ms < endMs; ms += stepMs) yield ms;
}

/** Every so many local midnights: a day is not always 24 hours long. */
function* days(startMs: number, endMs: number, step: number): Generator<number> {
  const start = new Date(startMs);
  const day = Date.UTC(start.getFullYear(), start.getMonth(), start.getDate()) / DAY_MS;
  for (let at = Math.ceil(day / step) * step; ; at += step) {
    const utc = new Date(at * DAY_MS);
    const ms = new Date(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate()).getTime();
    if (ms >= endMs) return;
    if (ms >= startMs) yield ms;
  }
}

/** The day at midnight and for steps of days, else the time. */
function labelText(ms: number, stepMs: number): string {
  const time = new Date(ms).toISOString();
  const text = formatTime(time);
  if (stepMs >= MONTHS_MS) return MONTH.format(ms);
  if (stepMs >= DAY_MS || text === "00:00:00") return formatDay(time);
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
