import type { TraceRecord } from "../../traces/trace-record.js";

/** So many are written at once with the next flush: some milliseconds. */
const FEW_TRACES = 250;
/** A trace without a change in so many appends is taken for complete. */
const QUIET_APPENDS = 3;
/** Taken at once: 20 ms. */
const TRACES_PER_STEP = 500;

/** The traces whose rows have to be written, the one that has not changed for longest first. */
export class ChangedTraces implements Iterable<TraceRecord> {
  /** The append of the last change. */
  readonly #appends = new Map<TraceRecord, number>();
  #append = 0;

  get size(): number {
    return this.#appends.size;
  }

  add(trace: TraceRecord): void {
    if (this.#appends.get(trace) === this.#append) return;
    this.#appends.delete(trace);
    this.#appends.set(trace, this.#append);
  }

  /**
   * Ends an append.
   *
   * @returns traces that did not change lately, if many wait: they are written now, so that the next flush is no long step. The
   * traces that change with most appends wait for it, because each change would be another write.
   */
  takeQuiet(): readonly TraceRecord[] {
    const quiet: TraceRecord[] = [];
    const until = ++this.#append - QUIET_APPENDS;
    const most = Math.min(this.size - FEW_TRACES, TRACES_PER_STEP);
    for (const [trace, append] of this.#appends) {
      if (append >= until || quiet.length >= most) break;
      quiet.push(trace);
    }
    for (const trace of quiet) this.#appends.delete(trace);
    return quiet;
  }

  clear(): void {
    this.#appends.clear();
  }

  [Symbol.iterator](): Iterator<TraceRecord> {
    return this.#appends.keys();
  }
}
