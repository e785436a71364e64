import type { Evaluation } from "../api-schema/evaluations.js";
import { invalidQuery } from "../api-schema/errors.js";

/** What a page orders by: the rank first, then the newest. */
export interface EvaluationPosition {
  /** 0 for every evaluation in the order `newest`. */
  readonly rank: number;
  readonly sequence: number;
}

/** An entry of a page with its rank. */
export interface Ranked<Entry> {
  readonly entry: Entry;
  readonly rank: number;
}

/** The entries with the highest ranks, at most `size`; ties keep the entry that was added first. */
export class RankedPage<Entry> {
  readonly #ranked: Ranked<Entry>[] = [];

  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get isFull(): boolean {
    return this.#ranked.length === this.#size;
  }

  /** False if the rank is too low for the page. */
  takes(rank: number): boolean {
    const lowest = this.#ranked.at(-1);
    return !this.isFull || lowest === undefined || rank > lowest.rank;
  }

  add(entry: Entry, rank: number): void {
    let low = 0;
    let high = this.#ranked.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const ranked = this.#ranked[middle];
      if (ranked !== undefined && ranked.rank >= rank) low = middle + 1;
      else high = middle;
    }
    if (this.isFull) this.#ranked.pop();
    this.#ranked.splice(low, 0, { entry, rank });
  }

  first(count: number): readonly Ranked<Entry>[] {
    return this.#ranked.slice(0, count);
  }
}

/** How far a score is from the best of its type. */
export function badness({ score, direction }: Evaluation): number {
  if (score === null || direction === "neutral") return 0;
  return direction === "maximize" ? 1 - score : score;
}

/** True for an evaluation behind the end of the page before. */
export function comesAfter({ rank, sequence }: EvaluationPosition, end: EvaluationPosition): boolean {
  return rank < end.rank || (rank === end.rank && sequence < end.sequence);
}

export function encodeCursor({ rank, sequence }: EvaluationPosition): string {
  return Buffer.from(`${rank}/${sequence}`).toString("base64url");
}

/** @throws ApiError `invalid_query` if {@link encodeCursor} cannot have written the cursor. */
export function decodeCursor(cursor: string): EvaluationPosition {
  const [, rank, sequence] =
    /^(\d+(?:\.\d+)?(?:e-\d+)?)\/(-?\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (rank === undefined || sequence === undefined)
    throw invalidQuery("cursor must be a next_cursor of an earlier response");
  return { rank: Number(rank), sequence: Number(sequence) };
}
