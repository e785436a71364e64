import type { Hash64 } from "../../hashing/seeded-hash.js";
import type { SpanDigest } from "./span-digest.js";
import type { SpanLabels } from "./span-labels.js";
import type { SpanRows, TraceHead } from "./span-rows.js";
import { FLAG, FLOAT, NO_ROW } from "./span-table.js";
import { TraceTotals } from "./trace-totals.js";

/** The root of a trace, as its summary shows it. */
export interface RootSpan {
  readonly id: Hash64;
  readonly startEpochMs: number;
  readonly startNanos: number;
  readonly isRunning: boolean;
  /** Monotonic clock. */
  readonly seenAtMs: number;
  readonly labels: SpanLabels;
  readonly digest: SpanDigest;
}

/** Reads a span as the root of its trace. */
export function readRoot(spans: SpanRows, row: number): RootSpan {
  return {
    id: spans.id(row),
    startEpochMs: spans.float(row, FLOAT.startEpochMs),
    startNanos: spans.startNanos(row),
    isRunning: (spans.flags(row) & FLAG.running) !== 0,
    seenAtMs: spans.float(row, FLOAT.seenAtMs),
    labels: spans.labels(row),
    digest: spans.digest(row),
  };
}

/**
 * Remains of the spans that the cap dropped: their totals, which still count (contract 3), and the root. The root is
 * often the first span to arrive, when an agent reports its start, and so the first to be dropped.
 */
export class DroppedSpans {
  /** Estimated heap size. */
  static readonly BYTES = 2_000;
  /** Models kept of dropped spans. */
  static readonly MAX_MODELS = 100;

  count = 0;
  readonly totals: TraceTotals;
  root: RootSpan | undefined;

  constructor(totals = new TraceTotals(DroppedSpans.MAX_MODELS)) {
    this.totals = totals;
  }

  /** Adds a span that is about to be removed. */
  add(spans: SpanRows, trace: TraceHead, row: number): void {
    this.count++;
    this.totals.add(spans, trace, row);
    spans.markParentAsWrapper(trace, row);
    const isRoot = (spans.flags(row) & FLAG.hasParent) === 0;
    if (isRoot && !startsBefore(this.root, spans, row)) this.root = readRoot(spans, row);
  }

  /** Drops the root if it arrives again, as the end of a span that was dropped while it ran. */
  reviveRoot(spans: SpanRows, row: number): void {
    const { lo, hi } = spans.id(row);
    if (this.root?.id.lo === lo && this.root.id.hi === hi) this.root = undefined;
  }
}

/** True if the dropped root is shown: it did not start after the span at `row`. */
export function startsBefore(root: RootSpan | undefined, spans: SpanRows, row: number): root is RootSpan {
  if (root === undefined) return false;
  if (row === NO_ROW) return true;
  const startEpochMs = spans.float(row, FLOAT.startEpochMs);
  if (root.startEpochMs !== startEpochMs) return root.startEpochMs < startEpochMs;
  return root.startNanos <= spans.startNanos(row);
}
