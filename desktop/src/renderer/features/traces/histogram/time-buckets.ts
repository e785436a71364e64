import type { TraceFilters } from "../../../api/collector-api.js";
import type { ClippedHistogram } from "../../../store/clipped-histogram.js";
import { omit } from "../../../store/omit.js";

/** The bars of the histogram: consecutive buckets of equal length. */
export interface TimeBuckets {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly bars: readonly Bar[];
  /** Traces before the first bar, too far away to be drawn. */
  readonly older: number;
  /** The same after the last bar. */
  readonly newer: number;
}

export interface Bar {
  readonly traces: number;
  readonly errors: number;
}

/** A range of buckets; the end is exclusive. */
export interface BucketRange {
  readonly from: number;
  readonly to: number;
}

/** Smallest number of bars; earlier time is shown empty. */
const MIN_BARS = 60;
const NO_BAR: Bar = { traces: 0, errors: 0 };

/** Undefined if no trace matches. */
export function timeBuckets(histogram: ClippedHistogram): TimeBuckets | undefined {
  const { bucket_ms: lengthMs, buckets, older, newer } = histogram;
  const [first] = buckets;
  if (lengthMs === null || first === undefined) return undefined;
  const missing = Math.max(0, MIN_BARS - buckets.length);
  return {
    startMs: Date.parse(first.start) - missing * lengthMs,
    lengthMs,
    bars: [...Array.from({ length: missing }, () => NO_BAR), ...buckets],
    older,
    newer,
  };
}

/** Start of a bucket. */
export function bucketStart({ startMs, lengthMs }: TimeBuckets, index: number): number {
  return startMs + index * lengthMs;
}

/** The buckets in the filters' time range; all if they have none. */
export function chosenRange(buckets: TimeBuckets, { since, until }: TraceFilters): BucketRange {
  const count = buckets.bars.length;
  const indexOf = (time: string): number => (Date.parse(time) - buckets.startMs) / buckets.lengthMs;
  const from = since === undefined ? 0 : clamp(Math.floor(indexOf(since)), count - 1);
  const to = until === undefined ? count : clamp(Math.ceil(indexOf(until)), count);
  return { from, to: Math.max(from + 1, to) };
}

/** The filters for the traces before the first bar, or after the last one. */
export function beyond(filters: TraceFilters, buckets: TimeBuckets, side: "older" | "newer"): TraceFilters {
  const others = omit(omit(filters, "since"), "until");
  const edge = bucketStart(buckets, side === "older" ? 0 : buckets.bars.length);
  return { ...others, [side === "older" ? "until" : "since"]: new Date(edge).toISOString() };
}

/** Whether the filters choose only traces that are before the first bar, or after the last one. */
export function isBeyond(
  buckets: TimeBuckets,
  { since, until }: TraceFilters,
  side: "older" | "newer",
): boolean {
  if (side === "older") return until !== undefined && Date.parse(until) <= buckets.startMs;
  return since !== undefined && Date.parse(since) >= bucketStart(buckets, buckets.bars.length);
}

/**
 * The filters with a time range. A range that reaches an end of the histogram is left open there, so that new traces
 * belong to it; traces too far away to be drawn do not.
 */
export function withRange(filters: TraceFilters, buckets: TimeBuckets, range: BucketRange): TraceFilters {
  const others = omit(omit(filters, "since"), "until");
  const at = (index: number): string => new Date(bucketStart(buckets, index)).toISOString();
  return {
    ...others,
    ...(range.from > 0 || buckets.older > 0 ? { since: at(range.from) } : {}),
    ...(range.to < buckets.bars.length || buckets.newer > 0 ? { until: at(range.to) } : {}),
  };
}

/** The range between two bars in any order, both included. */
export function rangeBetween(one: number, other: number): BucketRange {
  return { from: Math.min(one, other), to: Math.max(one, other) + 1 };
}

/** Number of traces and of errors in a range. */
export function sumOf({ bars }: TimeBuckets, { from, to }: BucketRange): Bar {
  return bars
    .slice(from, to)
    .reduce((sum, bar) => ({ traces: sum.traces + bar.traces, errors: sum.errors + bar.errors }), NO_BAR);
}

function clamp(index: number, max: number): number {
  return Math.max(0, Math.min(max, Number.isNaN(index) ? 0 : index));
}
