/**
 * Why a span was not delivered:
 * - `queue_full`: the buffer was full (`maxQueueSize`, `maxQueueBytes`).
 * - `retries_exhausted`: the collector could not be reached, or answered 429 or 5xx, `maxRetries` times again.
 * - `refused`: the collector will not take it (another 4xx, or a redirect to another origin).
 * - `too_large`: a single span is more than the collector takes in one request (413).
 * - `shutdown`: it was still waiting when `shutdownTimeout` was over, or came after `shutdown()`.
 */
export type DropReason = "queue_full" | "retries_exhausted" | "refused" | "too_large" | "shutdown";

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

/** The counters behind {@link ExporterStats}, as the parts of the exporter keep them. */
export class Ledger {
  enqueued = 0;
  acked = 0;
  readonly dropped: Record<DropReason, number> = {
    queue_full: 0,
    retries_exhausted: 0,
    refused: 0,
    too_large: 0,
    shutdown: 0,
  };
  /** Spans of the batch that is under way. */
  inFlight = 0;
  /** The last request's body: where spans are under way, it is theirs. */
  declare underWay: { readonly json: string; readonly spanCount: number } | undefined;
  /** Spans ever taken from the buffer; tells a flush when those that it waits for are through. */
  taken = 0;

  stats(buffered: number): ExporterStats {
    const { enqueued, acked, dropped, inFlight } = this;
    return { enqueued, acked, dropped: { ...dropped }, pending: buffered + inFlight };
  }
}
