import type { RecordedSpan } from "../capture/recorded-span.js";

/**
 * Spans that wait to be sent, the oldest first. Bounded by count and by bytes; what happens when it is full is the
 * exporter's to decide and to count.
 */
export interface SpanBuffer {
  readonly size: number;
  /** @returns false where the span would break a bound, and was not taken. */
  push(span: RecordedSpan): boolean;
  /**
   * A span that waits has grown since it came: it was queued at its start, and has ended.
   *
   * @returns false where it has no room any more, and was taken out.
   */
  resize(span: RecordedSpan): boolean;
  /** Takes the oldest: at most so many, and so many bytes unless the first alone has more. */
  take(maxSpans: number, maxBytes: number): RecordedSpan[];
}

/** Makes a {@link SpanBuffer}. Its state is in variables: what runs for every span should be short before it is compiled, too. */
export function createSpanBuffer(maxSpans: number, maxBytes: number): SpanBuffer {
  let spans: (RecordedSpan | undefined)[] = [];
  let head = 0;
  let bytes = 0;

  return {
    get size() {
      return spans.length - head;
    },

    push(span) {
      const total = bytes + span.bytes;
      if (total > maxBytes || spans.length - head >= maxSpans) return false;
      spans.push(span);
      bytes = total;
      span.queuedBytes = span.bytes;
      return true;
    },

    resize(span) {
      bytes -= span.queuedBytes;
      const fits = bytes + span.bytes <= maxBytes;
      if (!fits) spans.splice(spans.indexOf(span, head), 1);
      bytes += fits ? span.bytes : 0;
      span.queuedBytes = fits ? span.bytes : -1;
      return fits;
    },

    take(maxTaken, maxTakenBytes) {
      const taken: RecordedSpan[] = [];
      let takenBytes = 0;
      while (taken.length < maxTaken) {
        const span = spans[head];
        if (span === undefined || (takenBytes > 0 && takenBytes + span.queuedBytes > maxTakenBytes)) break;
        takenBytes += span.queuedBytes;
        span.queuedBytes = -1;
        taken.push(span);
        spans[head++] = undefined;
      }
      bytes -= takenBytes;
      // The taken ones are cut off now and then: each span is moved at most once.
      if (head > 1024 && head * 2 > spans.length) {
        spans = spans.slice(head);
        head = 0;
      }
      return taken;
    },
  };
}
