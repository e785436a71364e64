/** Why a span was not delivered. */
export const DROP_REASONS = ["queue_full", "retries_exhausted", "refused", "too_large", "shutdown"] as const;

/**
 * - `queue_full`: the buffer was full (`maxQueueSize`, `maxQueueBytes`).
 * - `retries_exhausted`: the collector could not be reached, or answered 429 or 5xx, `maxRetries` times again.
 * - `refused`: the collector will not take it (another 4xx, or a redirect to another origin).
 * - `too_large`: a single span is more than the collector takes in one request (413).
 * - `shutdown`: it was still waiting when `shutdownTimeout` was over, or came after `shutdown()`.
 */
export type DropReason = (typeof DROP_REASONS)[number];

/** What became of the spans of this process; always `enqueued = acked + the sum of dropped + pending`. */
export interface ExporterStats {
  /** Spans handed to the exporter; with `live` the start of a span that was sent before its end is one of its own. */
  readonly enqueued: number;
  /** Spans that a collector has acknowledged (any 2xx), or that `takeSpans()` has handed over. */
  readonly acked: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Spans that wait in the buffer or are being sent. */
  readonly pending: number;
}

/** The stats of a process that records nothing. */
export function emptyStats(): ExporterStats {
  return { enqueued: 0, acked: 0, dropped: noDrops(), pending: 0 };
}

/** A counter for each reason, at zero. */
export function noDrops(): Record<DropReason, number> {
  return { queue_full: 0, retries_exhausted: 0, refused: 0, too_large: 0, shutdown: 0 };
}
