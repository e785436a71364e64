import type { TraceSummary } from "@obspan/collector-core/api-schema";

/** Parsed once: thousands of rows are compared several times a second. */
const starts = new WeakMap<TraceSummary, number>();

/** Start of a trace in epoch milliseconds. */
export function startMs(row: TraceSummary): number {
  let ms = starts.get(row);
  if (ms === undefined) {
    ms = Date.parse(row.start_time);
    starts.set(row, ms);
  }
  return ms;
}

/**
 * The rows with the latest start first; equal ones keep their order. A start moves when an earlier span arrives. Returns
 * the same array if it is in order.
 */
export function inStartOrder(rows: readonly TraceSummary[]): readonly TraceSummary[] {
  let before = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const start = startMs(row);
    if (start > before) return rows.toSorted((a, b) => startMs(b) - startMs(a));
    before = start;
  }
  return rows;
}
