import type { Histogram } from "../../api-schema/trace.js";
import { formatInstant } from "../../span/timestamp.js";
import type { TraceBlock } from "../memory/index/trace-block.js";

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

/** Counts traces by start, in buckets whose length depends on all starts. */
export class StartHistogram {
  readonly #startsMs: number[] = [];
  readonly #failed: boolean[] = [];

  add(block: TraceBlock, slot: number): void {
    this.#startsMs.push(block.startEpochMs(slot));
    this.#failed.push(block.values(slot).status === "ERROR");
  }

  /**
   * @param maxBuckets - bound on the number of buckets.
   * @param range - the end is exclusive. An absent bound is that of the traces.
   */
  toHistogram(
    maxBuckets: number,
    range: { readonly sinceMs: number | undefined; readonly untilMs: number | undefined },
  ): Histogram {
    const total = this.#startsMs.length;
    const firstMs = range.sinceMs ?? smallest(this.#startsMs) ?? range.untilMs;
    const endMs = range.untilMs ?? (largest(this.#startsMs) ?? firstMs ?? 0) + 1;
    if (firstMs === undefined || endMs <= firstMs) return { total, bucket_ms: null, buckets: [] };

    const lengthMs = bucketLength(firstMs, endMs, maxBuckets);
    const first = Math.floor(firstMs / lengthMs);
    const count = Math.ceil(endMs / lengthMs) - first;
    const buckets = Array.from({ length: count }, (_, index) => ({
      start: formatInstant({ epochMs: (first + index) * lengthMs, nanos: 0 }),
      traces: 0,
      errors: 0,
    }));
    for (let index = 0; index < total; index++) {
      const startMs = this.#startsMs[index] as number;
      const bucket = buckets[Math.floor(startMs / lengthMs) - first];
      if (bucket === undefined) continue;
      bucket.traces++;
      if (this.#failed[index] === true) bucket.errors++;
    }
    return { total, bucket_ms: lengthMs, buckets };
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
