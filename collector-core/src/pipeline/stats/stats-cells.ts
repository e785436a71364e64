import { ERROR_CATEGORIES } from "../../span/error-category.js";

/** Positions in a row of cells. A row holds the counts of one label set in one step. */
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
  /** Output tokens and total seconds of the calls with a known duration. */
  timedTokens: 9,
  timedSeconds: 10,
  scores: 11,
  scoreSum: 12,
  /** The first cell of six, in the order of {@link ERROR_CATEGORIES}. */
  errors: 13,
} as const;

/** Positions of the histogram buckets in a row; they depend on `histograms.duration_buckets`. */
export interface CellLayout {
  readonly bounds: readonly number[];
  /** The first duration bucket. */
  readonly duration: number;
  /** The first time-to-first-token bucket. */
  readonly ttft: number;
  /** Number of cells in a row. */
  readonly size: number;
}

export function cellLayout(bounds: readonly number[]): CellLayout {
  const buckets = bounds.length + 1;
  const duration = CELL.errors + ERROR_CATEGORIES.length;
  return { bounds, duration, ttft: duration + buckets, size: duration + 2 * buckets };
}

/** Adds to a cell. The sum stays finite, because JSON cannot represent Infinity. */
export function addTo(cells: Float64Array, cell: number, amount: number): void {
  cells[cell] = Math.min((cells[cell] ?? 0) + amount, Number.MAX_VALUE);
}

/**
 * Estimates a quantile from histogram buckets like PromQL's `histogram_quantile`: linear interpolation within a
 * bucket, the highest bound for the +Inf bucket.
 *
 * @param first - the cell of the first bucket.
 * @returns a value in the unit of the bounds; undefined without values.
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
