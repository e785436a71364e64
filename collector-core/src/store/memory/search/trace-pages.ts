import type { TraceOrder, TraceQuery } from "../../../api-schema/trace.js";
import type { ListPosition } from "../../traces/list-cursor.js";
import type { TraceBlock } from "../index/trace-block.js";
import type { TraceRecord } from "../../traces/trace-record.js";

/** A trace with its place in an order. */
export interface RankedTrace {
  readonly trace: TraceRecord;
  readonly value: number;
}

/** What the orders other than `newest` go by. */
const VALUES: Readonly<Record<Exclude<TraceOrder, "newest">, (block: TraceBlock, slot: number) => number>> = {
  slowest: (block, slot) => block.durationMs(slot),
  costliest: (block, slot) => block.costUsd(slot),
};

/**
 * Gathers one page of traces, which are shown to it newest first. Of the best it keeps no more than a page or two, however
 * many match.
 */
export class TracePageCollector {
  readonly #after: ListPosition | undefined;
  readonly #valueOf: ((block: TraceBlock, slot: number) => number) | undefined;
  #best: RankedTrace[] = [];
  /** Once a page is full: what a trace must exceed to have a place on it, for those that came later are shown first. */
  #worstValue = Number.NEGATIVE_INFINITY;

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
  add(trace: TraceRecord, block: TraceBlock, slot: number): boolean {
    const value = this.#valueOf?.(block, slot) ?? 0;
    if (value <= this.#worstValue) return true;
    if (this.#after !== undefined && compareRanks(this.#after, value, trace.sequence) >= 0) return true;
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
      compareRanks({ value: a.value, sequence: a.trace.sequence }, b.value, b.trace.sequence),
    );
    if (this.#best.length <= this.limit) return;
    this.#best.length = this.limit + 1;
    this.#worstValue = this.#best.at(-1)?.value ?? this.#worstValue;
  }
}

/** Negative where `a` stands first: the larger value, the newer trace where they are equal. */
function compareRanks(
  a: { readonly value: number; readonly sequence: number },
  bValue: number,
  bSequence: number,
): number {
  return bValue - a.value || bSequence - a.sequence;
}
