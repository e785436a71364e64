/** The limit while no trace comes back from the file. */
const USUAL_BYTES = 32 * 2 ** 20;
/** Factor by which the limit grows. */
const GROWTH = 1.5;
/** The limit grows when each added span brings back this many from the file on average. */
const RELOADED_PER_SPAN = 2;
/** Time after the last growth until the limit is the usual one again. */
const GROWN_FOR_MS = 60_000;

/** Options of {@link BufferLimit}. */
export interface BufferLimitOptions {
  /** The limit grows up to here. */
  readonly maxBytes: number;
  /** Default: 32 MiB. */
  readonly usualBytes?: (() => number) | undefined;
  /** Store time. */
  readonly nowMs: () => number;
}

/**
 * Memory of the open traces, beyond which those without a recent span are left to the file. When the traces that receive spans
 * at one time are larger, each batch brings them back from the file and leaves them to it again. The limit grows then.
 */
export class BufferLimit {
  readonly #options: BufferLimitOptions;
  readonly #usualBytes: () => number;
  #factor = 1;
  #grownUntilMs = 0;

  constructor(options: BufferLimitOptions) {
    this.#options = options;
    this.#usualBytes = options.usualBytes ?? (() => USUAL_BYTES);
  }

  get bytes(): number {
    const { maxBytes, nowMs } = this.#options;
    if (this.#factor > 1 && nowMs() >= this.#grownUntilMs) this.#factor = 1;
    return Math.min(this.#usualBytes() * this.#factor, maxBytes);
  }

  /**
   * Spans were added to traces.
   *
   * @param reloaded - the spans of those that came back from the file.
   */
  noteAdded(added: number, reloaded: number): void {
    if (reloaded <= added * RELOADED_PER_SPAN) return;
    const { maxBytes, nowMs } = this.#options;
    if (this.bytes < maxBytes) this.#factor *= GROWTH;
    this.#grownUntilMs = nowMs() + GROWN_FOR_MS;
  }
}
