import type { TraceOrder, TraceQuery } from "../../../api-schema/trace.js";
import type { ListPosition } from "../../traces/list-cursor.js";
import type { TraceBlock } from "../index/trace-block.js";
import type { TraceRecord } from "../../traces/trace-record.js";

/** A trace with the value that it is ordered by. */
export interface RankedTrace {
  readonly trace: TraceRecord;
  readonly value: number;
}

/** The values of the orders other than `newest`. */
const VALUES: Readonly<Record<Exclude<TraceOrder, "newest">, (block: TraceBlock, slot: number) => number>> = {
  start: (block, slot) => block.startEpochMs(slot),
  slowest: (block, slot) => block.durationMs(slot),
  costliest: (block, slot) => block.costUsd(slot),
};

/** Collects one page of traces, which must be added newest first. Holds at most two pages. */
export class TracePageCollector {
  readonly #limit: number;
  readonly #after: ListPosition | undefined;
  readonly #valueOf: ((block: TraceBlock, slot: number) => number) | undefined;
  #best: RankedTrace[] = [];
  /** Of a full page: only a trace with a larger value gets on it, since newer traces come first among equal values. */
  #worstValue = Number.NEGATIVE_INFINITY;

  /** @param limit - traces on a page. */
  constructor(order: NonNullable<TraceQuery["order"]>, limit: number, after: ListPosition | undefined) {
    this.#limit = limit;
    this.#after = after;
    this.#valueOf = order === "newest" ? undefined : VALUES[order];
  }

  /** Adds a matching trace. @returns false if the page is complete. */
  add(trace: TraceRecord, block: TraceBlock, slot: number): boolean {
    const value = this.#valueOf?.(block, slot) ?? 0;
    if (value <= this.#worstValue) return true;
    if (this.#after !== undefined && compareRanks(this.#after, value, trace.sequence) >= 0) return true;
    this.#best.push({ trace, value });
    // One trace more than the page tells whether there is a next page.
    if (this.#valueOf === undefined) return this.#best.length <= this.#limit;
    if (this.#best.length >= this.#limit * 2 + 1) this.#cut();
    return true;
  }

  /** The traces of the page in order, and whether there are more. */
  finish(): { readonly page: readonly RankedTrace[]; readonly hasMore: boolean } {
    this.#cut();
    return { page: this.#best.slice(0, this.#limit), hasMore: this.#best.length > this.#limit };
  }

  #cut(): void {
    this.#best.sort((a, b) =>
      compareRanks({ value: a.value, sequence: a.trace.sequence }, b.value, b.trace.sequence),
    );
    if (this.#best.length <= this.#limit) return;
    this.#best.length = this.#limit + 1;
    this.#worstValue = this.#best.at(-1)?.value ?? this.#worstValue;
  }
}

/** Negative if `a` comes first: larger values first, newer traces first among equal values. */
function compareRanks(
  a: { readonly value: number; readonly sequence: number },
  bValue: number,
  bSequence: number,
): number {
  return bValue - a.value || bSequence - a.sequence;
}
