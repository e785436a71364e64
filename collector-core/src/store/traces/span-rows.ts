import type { Hash64 } from "../../hashing/seeded-hash.js";
import type { SpanDigest } from "./span-digest.js";
import type { SpanLabels } from "./span-labels.js";
import type { FloatField } from "./span-table.js";
import type { TraceSpanIndex } from "./trace-span-index.js";

/** A running span that has been silent for so long is shown as `ABANDONED` (contract 1). */
export const ABANDONED_AFTER_MS = 30 * 60_000;

/** Where the rows of a trace begin, and how its spans are found. */
export interface TraceHead {
  /** The first row of its spans, evaluations apart, in order of arrival. */
  readonly firstSpan: number;
  readonly firstEvaluation: number;
  /** Finds its spans by id; undefined for a short trace. */
  readonly index: TraceSpanIndex | undefined;
  /** False where no span of that hash has arrived; true may be wrong. */
  mayHaveSpan(idLo: number): boolean;
}

/** What the summary of a trace reads of its rows, wherever a store keeps them. */
export interface SpanRows {
  /** The next row of the same trace by arrival. */
  next(row: number): number;
  /** A hash that tells the spans of a trace apart. */
  id(row: number): Hash64;
  flags(row: number): number;
  /** A number of the span; NaN where it has none. */
  float(row: number, field: FloatField): number;
  startNanos(row: number): number;
  labels(row: number): SpanLabels;
  digest(row: number): SpanDigest;
  /** Orders rows of one trace by start, ties by arrival. */
  compareStart(a: number, b: number): number;
  /** True where its tokens, cost and call count: it has no part in those of another span (contract 6). */
  countsUsage(trace: TraceHead, row: number): boolean;
  /** Lets the parent of a span that is about to be dropped remember that it is a wrapper. */
  markParentAsWrapper(trace: TraceHead, row: number): void;
}
