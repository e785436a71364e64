/** Where the exporter says what went wrong, and what time it is. */
export interface TroubleLogOptions {
  readonly warn: (message: string) => void;
  /** Says that it is over; not a warning. */
  readonly inform: (message: string) => void;
  /** The monotonic clock. */
  readonly nowMs: () => number;
}

/** An overloaded buffer loses a span now and then between two batches that go through: that is one episode. */
const CALM_MS = 30_000;

/**
 * One warning an episode, however many spans it costs: an episode begins with the first span that is lost, and ends with
 * the first acknowledgement after a calm of 30 s, which says how many it were.
 */
export class TroubleLog {
  #lost = 0;
  #lastLossMs = 0;
  readonly #options: TroubleLogOptions;

  constructor(options: TroubleLogOptions) {
    this.#options = options;
  }

  /** Spans were lost. `why` reads on after "N spans were dropped: ". */
  lost(count: number, why: string): void {
    if (this.#lost === 0) this.#options.warn(`${spans(count)} dropped: ${sentence(why)} stats() counts on.`);
    this.#lost += count;
    this.#lastLossMs = this.#options.nowMs();
  }

  /** A batch was acknowledged. */
  delivered(): void {
    if (this.#lost === 0 || this.#options.nowMs() - this.#lastLossMs < CALM_MS) return;
    this.#options.inform(`All is delivered again; ${spans(this.#lost)} dropped in the meantime.`);
    this.#lost = 0;
  }
}

/** What ends with a question has its mark. */
function sentence(text: string): string {
  return text.endsWith("?") ? text : `${text}.`;
}

function spans(count: number): string {
  return count === 1 ? "1 span was" : `${count} spans were`;
}
