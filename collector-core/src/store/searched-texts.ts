import type { TraceRecord } from "./trace-record.js";
import type { TraceRegistry } from "./trace-registry.js";

/** Texts of which the answers are remembered: one bit of a trace each. */
const MAX_TEXTS = 16;

/** Remembers of one text which traces have it. */
export interface KnownMatches {
  /** Undefined where the trace was not looked through since it changed. */
  has(trace: TraceRecord): boolean | undefined;
  /** @param changes - of the trace, before it was looked through. */
  remember(trace: TraceRecord, isFound: boolean, changes: number): void;
}

/**
 * Remembers in two bits of each trace what was found, for the texts that were searched for last: a page that shows a
 * list, its facets and its histogram, and asks for them again as traces come, has each trace looked through once.
 */
export class SearchedTexts {
  /** By bit; the text that was asked for last stands last in {@link #byUse}. */
  readonly #texts: string[] = [];
  #byUse: number[] = [];

  constructor(private readonly traces: TraceRegistry) {}

  /** Must not outlive the search that asks, of which there are fewer at once than texts. */
  of(text: string): KnownMatches {
    const bit = 1 << this.#bitOf(text);
    return {
      has: (trace) => ((trace.searchedTexts & bit) === 0 ? undefined : (trace.foundTexts & bit) !== 0),
      remember(trace, isFound, changes) {
        if (trace.changes !== changes) return;
        trace.searchedTexts |= bit;
        if (isFound) trace.foundTexts |= bit;
      },
    };
  }

  #bitOf(text: string): number {
    let index = this.#texts.indexOf(text);
    if (index === -1) {
      index = this.#texts.length < MAX_TEXTS ? this.#texts.length : (this.#byUse[0] ?? 0);
      this.#texts[index] = text;
      this.#forget(1 << index);
    }
    this.#byUse = [...this.#byUse.filter((used) => used !== index), index];
    return index;
  }

  #forget(bit: number): void {
    for (let trace = this.traces.oldest; trace !== undefined; trace = this.traces.after(trace)) {
      trace.searchedTexts &= ~bit;
      trace.foundTexts &= ~bit;
    }
  }
}
