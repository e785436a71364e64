/** The shortest pause, in milliseconds, and the longest. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;
/** Full batches gather only while the spans of one pause take at most this share of the buffer. */
const MAX_SHARE = 0.15;

/** What a delivery loop has sent without a pause. */
export interface SentSpans {
  readonly spans: number;
  /** As the buffer counts them. */
  readonly bytes: number;
}

/**
 * Decides how long full batches gather before the next ones are sent. At a high rate, sending each batch by itself costs
 * the app more than the bytes of the batch: the caches are cold, and each time a timer, promises and a write are needed.
 *
 * A batch that is full later than the pause is sent at once. The pause grows while full batches follow one another, and
 * there is none while spans come so fast that they could fill the buffer.
 */
export class GatherPause {
  readonly #maxSent: SentSpans;
  #pauseMs = 0;
  #endsAtMs = -Infinity;

  /** @param limits - of the buffer. */
  constructor({ spans, bytes }: SentSpans) {
    this.#maxSent = { spans: spans * MAX_SHARE, bytes: bytes * MAX_SHARE };
  }

  /**
   * @param nowMs - when the loop stopped sending.
   * @param sent - since the last pause.
   */
  next(nowMs: number, { spans, bytes }: SentSpans): number {
    const isFlood = spans > this.#maxSent.spans || bytes > this.#maxSent.bytes;
    const isHighRate = nowMs - this.#endsAtMs < MAX_PAUSE_MS;
    if (isFlood) this.#pauseMs = 0;
    else
      this.#pauseMs = isHighRate ? Math.min(this.#pauseMs * 2 || MIN_PAUSE_MS, MAX_PAUSE_MS) : MIN_PAUSE_MS;
    this.#endsAtMs = nowMs + this.#pauseMs;
    return this.#pauseMs;
  }
}
