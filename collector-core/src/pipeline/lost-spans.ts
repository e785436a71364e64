/** Counts the spans that a stage failed on, for the ledger, and reports each failure. */
export class LostSpans {
  readonly #report: (error: unknown) => void;
  #count = 0;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(error: unknown, spans = 1): void {
    this.#count += spans;
    this.#report(error);
  }

  /** @returns the spans lost since this was last called. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}
