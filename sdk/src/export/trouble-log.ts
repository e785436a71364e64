/** Where the exporter says what went wrong. */
export interface TroubleLogOptions {
  readonly warn: (message: string) => void;
  /** Says that it is over; not a warning. */
  readonly inform: (message: string) => void;
}

/**
 * One warning an episode, however many spans it costs: an episode begins with the first span that is lost, and ends with
 * the next acknowledgement, which says how many it were.
 */
export class TroubleLog {
  #lost = 0;
  readonly #options: TroubleLogOptions;

  constructor(options: TroubleLogOptions) {
    this.#options = options;
  }

  /** Spans were lost. `why` reads on after "N spans were dropped: ". */
  lost(count: number, why: string): void {
    if (this.#lost === 0) this.#options.warn(`${spans(count)} dropped: ${why}. stats() counts on.`);
    this.#lost += count;
  }

  /** A batch was acknowledged. */
  delivered(): void {
    if (this.#lost === 0) return;
    this.#options.inform(`Spans are delivered again; ${spans(this.#lost)} dropped meanwhile.`);
    this.#lost = 0;
  }
}

function spans(count: number): string {
  return count === 1 ? "1 span was" : `${count} spans were`;
}
