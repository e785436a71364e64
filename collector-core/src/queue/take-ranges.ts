import type { BatchRange, ReceivedBatch } from "../interfaces.js";

/** A batch without its parsed spans. */
export type BytesOnly = Omit<ReceivedBatch, "spans"> & { readonly spans: undefined };

/** A batch that waits to be taken, from span `next` up to but excluding span `end`. */
export interface WaitingBatch {
  batch: ReceivedBatch | BytesOnly;
  next: number;
  readonly end: number;
  /** How often its spans were taken before. */
  readonly deliveries: number;
}

/** The head of a queue. */
export interface QueueHead<Waiting extends WaitingBatch> {
  readonly first: () => Waiting | undefined;
  /** Called when the last span of the first batch is taken. */
  readonly removeFirst: () => void;
  /** Parses the spans of a batch. Default: those of a body that was validated at admission. */
  readonly parse?: (waiting: Waiting) => ReceivedBatch | undefined;
  /** Called for a batch that cannot be parsed. It is removed. */
  readonly onUnreadable?: (waiting: Waiting) => void;
}

/** What {@link takeRanges} has taken. */
export interface TakenRanges<Waiting extends WaitingBatch = WaitingBatch> {
  readonly ranges: readonly BatchRange[];
  readonly spanCount: number;
  readonly deliveries: number;
  /** The batch of each range. */
  readonly batches: readonly Waiting[];
}

/**
 * Largest sum of the bodies in a lease, unless one batch alone exceeds it. A lease parses its batches in one turn of the
 * event loop, and parsed spans use several times the memory of their bytes.
 */
const FULL_LEASE_BYTES = 1024 * 1024;

/** Takes at most `maxSpans` spans from the head of a queue, in order, and parses batches that have only their bytes. */
export function takeRanges<Waiting extends WaitingBatch>(
  maxSpans: number,
  { first, removeFirst, parse = withSpans, onUnreadable }: QueueHead<Waiting>,
): TakenRanges<Waiting> {
  const ranges: BatchRange[] = [];
  const batches: Waiting[] = [];
  let spanCount = 0;
  let bytes = 0;
  let deliveries = 0;
  for (let oldest = first(); oldest !== undefined && spanCount < maxSpans; oldest = first()) {
    const from = oldest.next;
    // Split only a batch larger than a lease, so that work per batch usually happens once.
    if (spanCount > 0 && spanCount + oldest.end - from > maxSpans) break;
    bytes += oldest.batch.body.byteLength;
    if (spanCount > 0 && bytes > FULL_LEASE_BYTES) break;
    const to = Math.min(oldest.end, from + maxSpans);
    const batch = parse(oldest);
    if (batch === undefined) {
      removeFirst();
      onUnreadable?.(oldest);
      continue;
    }
    oldest.batch = batch;
    oldest.next = to;
    ranges.push({ batch, from, to });
    batches.push(oldest);
    spanCount += to - from;
    deliveries = Math.max(deliveries, oldest.deliveries + 1);
    if (to === oldest.end) removeFirst();
  }
  return { ranges, spanCount, deliveries, batches };
}

/** Parses the spans of a batch again if they were discarded. The body was validated at admission. */
function withSpans({ batch }: WaitingBatch): ReceivedBatch {
  if (batch.spans !== undefined) return batch;
  const { spans } = JSON.parse(batch.body.toString("utf8")) as Pick<ReceivedBatch, "spans">;
  return { ...batch, spans };
}
