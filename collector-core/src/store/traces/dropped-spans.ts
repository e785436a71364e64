import type { Hash64 } from "../../hashing/seeded-hash.js";
import type { SpanDigest } from "./span-digest.js";
import type { SpanLabels } from "./span-labels.js";
import type { SpanRows, TraceHead } from "./span-rows.js";
import { FLAG, FLOAT, NO_ROW } from "./span-table.js";
import { TraceTotals } from "./trace-totals.js";

/** Models remembered of dropped spans. */
const MAX_MODELS = 100;

/** What a trace's summary shows of its root. */
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

/** Reads of a span what is shown of a root. */
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
 * What remains of the spans that the cap dropped: their totals, which go on counting (contract 3), and the root, for
 * an agent that reports its start is the first to arrive and so the first to be dropped.
 */
export class DroppedSpans {
  /** An estimate of the heap that it takes. */
  static readonly BYTES = 2_000;

  count = 0;
  readonly totals = new TraceTotals(MAX_MODELS);
  root: RootSpan | undefined;

  /** Takes over from a span that is about to be removed. */
  add(spans: SpanRows, trace: TraceHead, row: number): void {
    this.count++;
    this.totals.add(spans, trace, row);
    spans.markParentAsWrapper(trace, row);
    const isRoot = (spans.flags(row) & FLAG.hasParent) === 0;
    if (isRoot && !startsBefore(this.root, spans, row)) this.root = readRoot(spans, row);
  }

  /** Forgets the root when it comes again, as the end of a span that ran when it was dropped. */
  reviveRoot(spans: SpanRows, row: number): void {
    const { lo, hi } = spans.id(row);
    if (this.root?.id.lo === lo && this.root.id.hi === hi) this.root = undefined;
  }
}

/** True where the dropped root is the one to show: it started before the other one, or with it. */
export function startsBefore(root: RootSpan | undefined, spans: SpanRows, row: number): root is RootSpan {
  if (root === undefined) return false;
  if (row === NO_ROW) return true;
  const startEpochMs = spans.float(row, FLOAT.startEpochMs);
  if (root.startEpochMs !== startEpochMs) return root.startEpochMs < startEpochMs;
  return root.startNanos <= spans.startNanos(row);
}
