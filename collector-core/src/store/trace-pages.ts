import type { TraceOrder, TraceQuery } from "../contract/trace.js";
import type { TraceFacts } from "./trace-facts.js";
import type { ListPosition } from "./list-cursor.js";
import type { TraceRecord } from "./trace-record.js";

/** A trace with its place in an order. */
export interface RankedTrace {
  readonly trace: TraceRecord;
  readonly value: number;
}

/** What the orders other than `newest` go by. */
const VALUES: Readonly<Record<Exclude<TraceOrder, "newest">, (facts: TraceFacts) => number>> = {
  slowest: (facts) => facts.durationMs,
  costliest: (facts) => facts.costUsd,
};

/**
 * Gathers one page of traces, which are shown to it newest first. Of the best it keeps no more than a page or two, however
 * many match.
 */
export class TracePageCollector {
  readonly #after: ListPosition | undefined;
  readonly #valueOf: ((facts: TraceFacts) => number) | undefined;
  #best: RankedTrace[] = [];

  /** @param limit - traces on a page. */
  constructor(
    order: NonNullable<TraceQuery["order"]>,
    private readonly limit: number,
    after: ListPosition | undefined,
  ) {
    this.#after = after;
    this.#valueOf = order === "newest" ? undefined : VALUES[order];
  }

  /** Takes a trace that matches. @returns whether to go on. */
  add(trace: TraceRecord, facts: TraceFacts): boolean {
    const value = this.#valueOf?.(facts) ?? 0;
    if (this.#after !== undefined && compareRanks(this.#after, { value, sequence: trace.sequence }) >= 0)
      return true;
    this.#best.push({ trace, value });
    // One beyond the page tells that there is a next one.
    if (this.#valueOf === undefined) return this.#best.length <= this.limit;
    if (this.#best.length >= this.limit * 2 + 1) this.#cut();
    return true;
  }

  /** The traces of the page in order, and whether there are more. */
  finish(): { readonly page: readonly RankedTrace[]; readonly hasMore: boolean } {
    this.#cut();
    return { page: this.#best.slice(0, this.limit), hasMore: this.#best.length > this.limit };
  }

  #cut(): void {
    this.#best.sort((a, b) =>
      compareRanks(
        { value: a.value, sequence: a.trace.sequence },
        { value: b.value, sequence: b.trace.sequence },
      ),
    );
    this.#best.length = Math.min(this.#best.length, this.limit + 1);
  }
}

interface Rank {
  readonly value: number;
  readonly sequence: number;
}

/** The larger value first, the newer trace where they are equal. */
function compareRanks(a: Rank, b: Rank): number {
  return b.value - a.value || b.sequence - a.sequence;
}
