/** Where the log writes, and its clock. */
export interface DropLogOptions {
  readonly warn: (message: string) => void;
  /** For the message that spans are delivered again, which is not a warning. */
  readonly inform: (message: string) => void;
  /** The monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
}

/** An overloaded buffer drops a span now and then while other batches go through: that is still one episode. */
const CALM_MS = 30_000;

/**
 * Warns about dropped spans, once an episode. An episode starts with the first dropped span. It ends with the first
 * acknowledgement after 30 s without a drop, and a message then says how many spans were dropped.
 */
export class DropLog {
  #dropped = 0;
  #lastDropMs = 0;
  readonly #options: DropLogOptions;

  constructor(options: DropLogOptions) {
    this.#options = options;
  }

  /** Spans were dropped. `why` continues the sentence "N spans were dropped: ". */
  dropped(count: number, why: string): void {
    if (this.#dropped === 0)
      this.#options.warn(`${spans(count)} dropped: ${sentence(why)} stats() counts further drops.`);
    this.#dropped += count;
    this.#lastDropMs = this.#options.nowMs();
  }

  /** A batch was acknowledged. */
  delivered(): void {
    if (this.#dropped === 0 || this.#options.nowMs() - this.#lastDropMs < CALM_MS) return;
    this.#options.inform(`Spans are delivered again; ${spans(this.#dropped)} dropped in the meantime.`);
    this.#dropped = 0;
  }
}

function sentence(text: string): string {
  return text.endsWith("?") ? text : `${text}.`;
}

function spans(count: number): string {
  return count === 1 ? "1 span was" : `${count} spans were`;
}
