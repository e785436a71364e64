/** Counts spans lost to a failing stage, and reports each failure. */
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

  /** @returns the number of spans lost since the last call. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}
