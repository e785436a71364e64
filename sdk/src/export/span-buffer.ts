import type { RecordedSpan } from "../capture/recorded-span.js";

/**
 * Spans that wait to be sent, the oldest first. Bounded by count and by bytes; what happens when it is full is the
 * exporter's to decide and to count.
 */
export class SpanBuffer {
  #spans: (RecordedSpan | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  readonly #maxSpans: number;
  readonly #maxBytes: number;

  constructor(maxSpans: number, maxBytes: number) {
    this.#maxSpans = maxSpans;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#spans.length - this.#head;
  }

  /** False where one more span of this size would break a bound. */
  hasRoom(bytes: number): boolean {
    return this.size < this.#maxSpans && this.#bytes + bytes <= this.#maxBytes;
  }

  push(span: RecordedSpan): void {
    this.#spans.push(span);
    this.#bytes += span.bytes;
    span.queuedBytes = span.bytes;
  }

  /**
   * A span that waits has grown since it came: it was queued at its start, and has ended.
   *
   * @returns false where it has no room any more, and was taken out.
   */
  resize(span: RecordedSpan): boolean {
    this.#bytes -= span.queuedBytes;
    const fits = this.#bytes + span.bytes <= this.#maxBytes;
    if (!fits) this.#spans.splice(this.#spans.indexOf(span, this.#head), 1);
    this.#bytes += fits ? span.bytes : 0;
    span.queuedBytes = fits ? span.bytes : -1;
    return fits;
  }

  /** Takes the oldest: at most so many, and so many bytes unless the first alone has more. */
  take(maxSpans: number, maxBytes: number): RecordedSpan[] {
    const taken: RecordedSpan[] = [];
    const spans = this.#spans;
    let bytes = 0;
    while (taken.length < maxSpans) {
      const span = spans[this.#head];
      if (span === undefined || (bytes > 0 && bytes + span.queuedBytes > maxBytes)) break;
      bytes += span.queuedBytes;
      span.queuedBytes = -1;
      taken.push(span);
      spans[this.#head++] = undefined;
    }
    this.#bytes -= bytes;
    // The taken ones are cut off now and then: each span is moved at most once.
    if (this.#head > 1024 && this.#head * 2 > spans.length) {
      this.#spans = spans.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }
}
