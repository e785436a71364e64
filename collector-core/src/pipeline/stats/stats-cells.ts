import { ERROR_CATEGORIES } from "../../span/error-category.js";

/** What is counted of the spans of one set of labels in one step: a row of numbers, which these are the places of. */
export const CELL = {
  spans: 0,
  calls: 1,
  callErrors: 2,
  toolCalls: 3,
  toolErrors: 4,
  tokensInput: 5,
  tokensOutput: 6,
  tokensCached: 7,
  costUsd: 8,
  /** Output tokens of calls of which it is known how long they took, and how many seconds that was. */
  timedTokens: 9,
  timedSeconds: 10,
  scores: 11,
  scoreSum: 12,
  /** The first of six: {@link ERROR_CATEGORIES}. */
  errors: 13,
} as const;

/** Where the buckets stand in a row, for these bounds of `histograms.duration_buckets`. */
export interface CellLayout {
  readonly bounds: readonly number[];
  /** The first bucket of the durations. */
  readonly duration: number;
  /** The first bucket of the times to first token. */
  readonly ttft: number;
  /** Cells of a row. */
  readonly size: number;
}

export function cellLayout(bounds: readonly number[]): CellLayout {
  const buckets = bounds.length + 1;
  const duration = CELL.errors + ERROR_CATEGORIES.length;
  return { bounds, duration, ttft: duration + buckets, size: duration + 2 * buckets };
}

/** Adds to a cell. Two finite amounts can make an infinite sum, which JSON cannot say. */
export function addTo(cells: Float64Array, cell: number, amount: number): void {
  cells[cell] = Math.min((cells[cell] ?? 0) + amount, Number.MAX_VALUE);
}

/**
 * The quantile of values of which only the buckets are known, as PromQL's `histogram_quantile` finds it: linear within
 * a bucket, the highest bound where it lies beyond all of them.
 *
 * @param first - the cell of the first bucket.
 * @returns in the unit of the bounds; undefined where there are no values.
 */
export function bucketQuantile(
  cells: Float64Array,
  first: number,
  bounds: readonly number[],
  quantile: number,
): number | undefined {
  let count = 0;
  for (let bucket = 0; bucket <= bounds.length; bucket++) count += cells[first + bucket] ?? 0;
  if (count === 0) return undefined;
  const rank = quantile * count;
  let below = 0;
  for (const [bucket, upper] of bounds.entries()) {
    const inBucket = cells[first + bucket] ?? 0;
    if (inBucket > 0 && below + inBucket >= rank) {
      const lower = bucket === 0 ? 0 : (bounds[bucket - 1] ?? 0);
      return lower + (upper - lower) * ((rank - below) / inBucket);
    }
    below += inBucket;
  }
  return bounds.at(-1);
}
