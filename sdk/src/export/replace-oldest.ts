import type { Ledger } from "./ledger.js";
import type { QueuedSpan } from "./queued-span.js";
import type { SpanBuffer } from "./span-buffer.js";

/**
 * Buffers a span in the place of the oldest ones, which count as `queue_full`.
 *
 * @returns false if it is larger than the buffer.
 */
export function replaceOldest(buffer: SpanBuffer, ledger: Ledger, queued: QueuedSpan): boolean {
  while (!buffer.push(queued)) {
    const [oldest] = buffer.take(1, Infinity);
    if (oldest === undefined) return false;
    oldest.span.release();
    ledger.take(1);
    ledger.settle(1, "queue_full");
  }
  return true;
}
