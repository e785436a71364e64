import type { TraceBuffer } from "./trace-buffer.js";

/** The limit while no trace comes back from the file. */
const USUAL_BYTES = 32 * 2 ** 20;
/** Factor by which the limit grows. */
const GROWTH = 1.5;
/** The limit grows when each added span brings back this many from the file on average. */
const RELOADED_PER_SPAN = 2;
/** Time after the last growth until the limit is the usual one again. */
const GROWN_FOR_MS = 60_000;

/** The share of the limit that is left after the buffer was full, so that it is not full with every batch. */
const TRIMMED_SHARE = 0.75;

/** Options of {@link BufferLimit}. */
export interface BufferLimitOptions {
  readonly buffer: TraceBuffer;
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

  get #bytes(): number {
    const { maxBytes, nowMs } = this.#options;
    if (this.#factor > 1 && nowMs() >= this.#grownUntilMs) this.#factor = 1;
    return Math.min(this.#usualBytes() * this.#factor, maxBytes);
  }

  /** True if traces have to be left to the file. */
  get isExceeded(): boolean {
    return this.#options.buffer.bytes > this.#bytes;
  }

  /** Leaves traces without a recent span to the file. Everything must be committed. */
  trim(): void {
    const { buffer } = this.#options;
    const maxBytes = this.#bytes * TRIMMED_SHARE;
    for (let trace = buffer.traces.leastRecent; trace !== undefined; trace = buffer.traces.leastRecent) {
      if (buffer.bytes <= maxBytes) return;
      buffer.drop(trace);
    }
  }

  /**
   * Spans were added to traces.
   *
   * @param reloaded - the spans of those that came back from the file.
   */
  noteAdded(added: number, reloaded: number): void {
    if (reloaded <= added * RELOADED_PER_SPAN) return;
    const { maxBytes, nowMs } = this.#options;
    if (this.#bytes < maxBytes) this.#factor *= GROWTH;
    this.#grownUntilMs = nowMs() + GROWN_FOR_MS;
  }
}
