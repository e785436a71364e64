import type { Histogram } from "../../api-schema/trace.js";
import { formatInstant } from "../../span/timestamp.js";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Bucket lengths that are easy to read. */
const BUCKET_LENGTHS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
];

/** The requested range of starts; the end is exclusive. An absent bound is that of the traces. */
export interface StartRange {
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

/** Buckets of equal length, which start at multiples of it. */
export interface BucketLayout {
  readonly lengthMs: number;
  /** The start of the first bucket is `first * lengthMs`. */
  readonly first: number;
  readonly count: number;
}

/**
 * Chooses the buckets; undefined if there are none.
 *
 * @param starts - the earliest and the latest start; undefined if there are no traces.
 * @param maxBuckets - bound on the number of buckets.
 */
export function layOutBuckets(
  starts: { readonly firstMs: number; readonly lastMs: number } | undefined,
  { sinceMs, untilMs }: StartRange,
  maxBuckets: number,
): BucketLayout | undefined {
  const firstMs = sinceMs ?? starts?.firstMs ?? untilMs;
  const endMs = untilMs ?? (starts?.lastMs ?? firstMs ?? 0) + 1;
  if (firstMs === undefined || endMs <= firstMs) return undefined;
  const lengthMs = bucketLength(firstMs, endMs, maxBuckets);
  const first = Math.floor(firstMs / lengthMs);
  return { lengthMs, first, count: Math.ceil(endMs / lengthMs) - first };
}

/** Builds the histogram from the traces of each bucket; `index` counts from the first bucket. */
export function toHistogram(
  total: number,
  layout: BucketLayout | undefined,
  counts: Iterable<{ readonly index: number; readonly traces: number; readonly errors: number }>,
): Histogram {
  if (layout === undefined) return { total, bucket_ms: null, buckets: [] };
  const { lengthMs, first, count } = layout;
  const buckets = Array.from({ length: count }, (_, index) => ({
    start: formatInstant({ epochMs: (first + index) * lengthMs, nanos: 0 }),
    traces: 0,
    errors: 0,
  }));
  for (const { index, traces, errors } of counts) {
    const bucket = buckets[index];
    if (bucket === undefined) continue;
    bucket.traces += traces;
    bucket.errors += errors;
  }
  return { total, bucket_ms: lengthMs, buckets };
}

/** Counts traces by start, in buckets whose length depends on all starts. */
export class StartHistogram {
  readonly #startsMs: number[] = [];
  readonly #failed: boolean[] = [];

  add(startMs: number, hasFailed: boolean): void {
    this.#startsMs.push(startMs);
    this.#failed.push(hasFailed);
  }

  toHistogram(maxBuckets: number, range: StartRange): Histogram {
    const firstMs = smallest(this.#startsMs);
    const lastMs = largest(this.#startsMs);
    const starts = firstMs === undefined || lastMs === undefined ? undefined : { firstMs, lastMs };
    const layout = layOutBuckets(starts, range, maxBuckets);
    return toHistogram(this.#startsMs.length, layout, this.#counts(layout));
  }

  *#counts(layout: BucketLayout | undefined) {
    if (layout === undefined) return;
    for (const [at, startMs] of this.#startsMs.entries()) {
      const index = Math.floor(startMs / layout.lengthMs) - layout.first;
      yield { index, traces: 1, errors: this.#failed[at] === true ? 1 : 0 };
    }
  }
}

/** The shortest length that needs at most `maxBuckets`; buckets start at multiples of it. */
function bucketLength(firstMs: number, endMs: number, maxBuckets: number): number {
  const suffices = (lengthMs: number): boolean =>
    Math.ceil(endMs / lengthMs) - Math.floor(firstMs / lengthMs) <= maxBuckets;
  const known = BUCKET_LENGTHS_MS.find(suffices);
  if (known !== undefined) return known;
  let days = Math.max(1, Math.floor((endMs - firstMs) / DAY_MS / maxBuckets));
  while (!suffices(days * DAY_MS) && days * DAY_MS <= endMs) days++;
  return days * DAY_MS;
}

/** Not `Math.min(…)`: the number of arguments of a call is limited. */
function smallest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((a, b) => Math.min(a, b));
}

function largest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((a, b) => Math.max(a, b));
}
