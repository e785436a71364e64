/**
 * Why a span was not delivered:
 * - `queue_full`: the buffer was full (`maxQueueSize`, `maxQueueBytes`).
 * - `retries_exhausted`: the collector could not be reached, or answered 429 or 5xx, also after `maxRetries` retries.
 * - `refused`: the collector does not accept it (another 4xx, or a redirect to another origin).
 * - `too_large`: one span is larger than the collector accepts in a request (413).
 * - `before_send`: `beforeSend()` returned null, or threw.
 * - `shutdown`: the span was still in the buffer after `shutdownTimeout`, or ended after `shutdown()`.
 */
export type DropReason =
  | "queue_full"
  | "retries_exhausted"
  | "refused"
  | "too_large"
  | "before_send"
  | "shutdown";

/** What happened to the spans of this process. Always `enqueued = acked + the sum of dropped + pending`. */
export interface ExporterStats {
  /** Spans handed to the exporter. With `live`, a start that was sent before its end counts as a span of its own. */
  readonly enqueued: number;
  /** Spans that a collector acknowledged (any 2xx), or that `takeSpans()` returned. */
  readonly acked: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Spans that are in the buffer or being sent. */
  readonly pending: number;
}

/** Counts what happens to spans, from the buffer to the collector: the counters behind {@link ExporterStats}. */
export interface Ledger {
  /** Spans of the batch that is being sent. */
  readonly inFlight: number;
  /** Spans ever taken from the buffer. A flush is done when this number reaches the last span that it waits for. */
  readonly taken: number;
  /** A span was put into the buffer. */
  enqueue(): void;
  /** A span was taken out of the buffer without being sent: it grew, and is queued again. */
  withdraw(): void;
  /** A span was dropped before it reached the buffer. */
  refuse(reason: "queue_full" | "before_send" | "shutdown"): void;
  /** Spans were taken from the buffer. They are in flight until they are acknowledged or dropped. */
  take(count: number): void;
  /** Spans in flight were acknowledged, or dropped for a reason. */
  settle(count: number, dropReason?: DropReason): void;
  /** @param buffered - spans that are in the buffer. */
  stats(buffered: number): ExporterStats;
}

/** Creates a {@link Ledger}. Its counters are in variables: only its methods can change them. */
export function createLedger(): Ledger {
  let enqueued = 0;
  let taken = 0;
  let inFlight = 0;
  let acked = 0;
  const dropped: Record<DropReason, number> = {
    queue_full: 0,
    retries_exhausted: 0,
    refused: 0,
    too_large: 0,
    before_send: 0,
    shutdown: 0,
  };
  return {
    get inFlight() {
      return inFlight;
    },
    get taken() {
      return taken;
    },
    enqueue() {
      enqueued++;
    },
    withdraw() {
      enqueued--;
      taken++;
    },
    refuse(reason) {
      enqueued++;
      dropped[reason]++;
    },
    take(count) {
      taken += count;
      inFlight += count;
    },
    settle(count, dropReason) {
      inFlight -= count;
      if (dropReason === undefined) acked += count;
      else dropped[dropReason] += count;
    },
    stats: (buffered) => ({ enqueued, acked, dropped: { ...dropped }, pending: buffered + inFlight }),
  };
}
