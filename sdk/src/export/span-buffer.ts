import type { RecordedSpan } from "../span/recorded-span.js";
import type { QueuedSpan } from "./queued-span.js";

/**
 * A queue of spans that wait to be sent, oldest first. It is bounded by count and by bytes. The exporter decides what
 * happens when it is full, and counts it.
 */
export interface SpanBuffer {
  readonly size: number;
  /** @returns false if the span exceeds a bound; it is not added then. */
  push(queued: QueuedSpan): boolean;
  /** The entry of a span that was queued when it started and waits since then. */
  find(span: RecordedSpan): QueuedSpan | undefined;
  /**
   * Updates an entry of {@link find} when its span has ended.
   *
   * @param bytes - what the span counts from now on.
   * @returns false if there is no room for it; it is removed then.
   */
  resize(queued: QueuedSpan, bytes: number): boolean;
  /** Removes the oldest spans: at most `maxSpans`, and at most `maxBytes` unless the first span alone has more. */
  take(maxSpans: number, maxBytes: number): QueuedSpan[];
}

/** Creates a {@link SpanBuffer}. Its state is in variables: they are faster than fields until the code is compiled. */
export function createSpanBuffer(maxSpans: number, maxBytes: number): SpanBuffer {
  let spans: (QueuedSpan | undefined)[] = [];
  let head = 0;
  let bytes = 0;
  /** Entries whose span had not ended when it was queued; empty without `live`. */
  const started = new Map<RecordedSpan, QueuedSpan>();

  return {
    get size() {
      return spans.length - head;
    },

    push(queued) {
      const total = bytes + queued.bytes;
      if (total > maxBytes || spans.length - head >= maxSpans) return false;
      spans.push(queued);
      bytes = total;
      if (queued.span.durationMs < 0) started.set(queued.span, queued);
      return true;
    },

    find: (span) => started.get(span),

    resize(queued, newBytes) {
      started.delete(queued.span);
      bytes += newBytes - queued.bytes;
      queued.bytes = newBytes;
      if (bytes <= maxBytes) return true;
      bytes -= newBytes;
      spans.splice(spans.indexOf(queued, head), 1);
      return false;
    },

    take(maxTaken, maxTakenBytes) {
      const taken: QueuedSpan[] = [];
      let takenBytes = 0;
      while (taken.length < maxTaken) {
        const queued = spans[head];
        if (queued === undefined || (takenBytes > 0 && takenBytes + queued.bytes > maxTakenBytes)) break;
        takenBytes += queued.bytes;
        if (started.size > 0) started.delete(queued.span);
        taken.push(queued);
        spans[head++] = undefined;
      }
      bytes -= takenBytes;
      // Removing the taken entries only now and then moves each entry at most once.
      if (head > 1024 && head * 2 > spans.length) {
        spans = spans.slice(head);
        head = 0;
      }
      return taken;
    },
  };
}
