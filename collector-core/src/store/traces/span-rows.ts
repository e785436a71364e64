import type { Hash64 } from "../../hashing/seeded-hash.js";
import type { SpanDigest } from "./span-digest.js";
import type { SpanLabels } from "./span-labels.js";
import type { FloatField } from "./span-table.js";
import type { TraceSpanIndex } from "./trace-span-index.js";

/** A running span without an update for this long is shown as `ABANDONED` (contract 1). */
export const ABANDONED_AFTER_MS = 30 * 60_000;

/** The first rows of a trace, and its index. */
export interface TraceHead {
  /** The first row of its spans, evaluations apart, in order of arrival. */
  readonly firstSpan: number;
  readonly firstEvaluation: number;
  /** Finds its spans by id; undefined for a short trace. */
  readonly index: TraceSpanIndex | undefined;
  /** False if no span of that hash has arrived; true may be wrong. */
  mayHaveSpan(idLo: number): boolean;
}

/** The rows of a store, as the summary of a trace reads them. */
export interface SpanRows {
  /** The next row of the same trace, by arrival. */
  next(row: number): number;
  /** The hash of the span id within its trace. */
  id(row: number): Hash64;
  flags(row: number): number;
  /** A number of the span; NaN if absent. */
  float(row: number, field: FloatField): number;
  startNanos(row: number): number;
  labels(row: number): SpanLabels;
  digest(row: number): SpanDigest;
  /** Orders rows of one trace by start, ties by arrival. */
  compareStart(a: number, b: number): number;
  /** True if its tokens, cost and call count: no other span repeats them (contract 6). */
  countsUsage(trace: TraceHead, row: number): boolean;
  /** Marks the parent of a model call that is about to be dropped as a wrapper. */
  markParentAsWrapper(trace: TraceHead, row: number): void;
}
