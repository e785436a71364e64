import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { rowKeyOf } from "./trace-key.js";

/** Rows in memory. More are let go at the end that the user has left, in whole pages. */
export const MAX_ROWS = 10_000;
/** Rows that stay around the user's position. */
const MARGIN = 2000;

/** A page that was let go. */
export interface ReleasedPage {
  /** Asks for the page; undefined for the newest traces. */
  readonly cursor: string | undefined;
  /** Rows of the page when it was let go. */
  readonly count: number;
}

/** Rows with the cursor of the page after them. */
export interface RowsAndNext {
  readonly rows: readonly TraceSummary[];
  readonly nextCursor: string | null;
}

/**
 * Remembers by which cursors the rows were fetched, so that rows far from the user can be let go and fetched again. It
 * holds a cursor for each page, not the rows.
 */
export class ListPages {
  /** By the key of the first row of a page: its cursor. */
  readonly #starts = new Map<string, string>();
  /** Pages above the rows in memory, newest first. */
  #released: ReleasedPage[] = [];
  #newestReleasedMs = Number.NEGATIVE_INFINITY;

  /** Number of rows that were let go above those in memory. */
  get above(): number {
    return this.#released.reduce((sum, { count }) => sum + count, 0);
  }

  /** Start of the newest trace when the newest rows were let go, in epoch milliseconds. */
  get newestReleasedMs(): number {
    return this.#newestReleasedMs;
  }

  /** Notes that a page begins with this row. */
  begin(row: TraceSummary | undefined, cursor: string | null | undefined): void {
    if (row !== undefined && cursor != null) this.#starts.set(rowKeyOf(row), cursor);
  }

  /** The list begins with its newest rows again. */
  forget(): void {
    this.#starts.clear();
    this.#released = [];
  }

  /** The page that was let go and has the row at this index, counted from the newest row of the list. */
  releasedAt(index: number): { readonly page: ReleasedPage; readonly isLast: boolean } | undefined {
    let end = 0;
    for (const [at, page] of this.#released.entries()) {
      end += page.count;
      if (index < end) return { page, isLast: at === this.#released.length - 1 };
    }
    const last = this.#released.at(-1);
    return last && { page: last, isLast: true };
  }

  /** The page is in memory again. Pages below it are no longer remembered. */
  restored(page: ReleasedPage): void {
    const at = this.#released.indexOf(page);
    if (at !== -1) this.#released.length = at;
  }

  /** Lets go of the newest rows. Returns the others. */
  releaseNewest(rows: readonly TraceSummary[]): readonly TraceSummary[] {
    const cut = this.#firstStart(rows, rows.length - MAX_ROWS, rows.length - MARGIN);
    if (cut === undefined) return rows;
    if (this.#released.length === 0) {
      const starts = rows.slice(0, MARGIN).map(({ start_time: start }) => Date.parse(start));
      this.#newestReleasedMs = starts.reduce((a, b) => Math.max(a, b));
    }
    let cursor: string | undefined;
    let from = 0;
    for (let at = 0; at <= cut; at++) {
      const next = this.#startOf(rows[at]);
      if (next === undefined) continue;
      if (at > from) this.#release(cursor, at - from);
      cursor = next;
      from = at;
      if (at < cut) this.#forgetStart(rows[at]);
    }
    return rows.slice(cut);
  }

  /** Lets go of the oldest rows. */
  releaseOldest(all: RowsAndNext): RowsAndNext {
    const { rows } = all;
    for (let at = Math.min(MAX_ROWS, rows.length - 1); rows.length > MAX_ROWS && at >= MARGIN; at--) {
      const cursor = this.#startOf(rows[at]);
      if (cursor === undefined) continue;
      for (const row of rows.slice(at)) this.#forgetStart(row);
      return { rows: rows.slice(0, at), nextCursor: cursor };
    }
    return all;
  }

  /** Without a cursor, the rows belong to the page before: the first row of their own page is gone. */
  #release(cursor: string | undefined, count: number): void {
    const before = cursor === undefined ? this.#released.pop() : undefined;
    this.#released.push(
      before === undefined ? { cursor, count } : { ...before, count: before.count + count },
    );
  }

  #firstStart(rows: readonly TraceSummary[], from: number, to: number): number | undefined {
    for (let at = Math.max(1, from); from > 0 && at <= to; at++)
      if (this.#startOf(rows[at]) !== undefined) return at;
    return undefined;
  }

  #startOf(row: TraceSummary | undefined): string | undefined {
    return row && this.#starts.get(rowKeyOf(row));
  }

  #forgetStart(row: TraceSummary | undefined): void {
    if (row !== undefined) this.#starts.delete(rowKeyOf(row));
  }
}
