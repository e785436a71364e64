import { NO_ROW } from "./span-table.js";
import { Hash64Map } from "./hash64-map.js";
import type { TablePool } from "./table-pool.js";

/**
 * Finds the spans of one long trace by the hash of their id, and tells which spans have model calls inside. An index per
 * trace is small and was used a moment ago; an index of all spans misses the processor's cache at every lookup.
 */
export class TraceSpanIndex {
  readonly #pool: TablePool;
  /** Rows by span id, plus one: a map holds no zero. */
  readonly #rows: Hash64Map;
  /** How many child calls a parent has, by its id. */
  #calls: Hash64Map | undefined;

  /** @param capacity - spans to make room for at first. */
  constructor(pool: TablePool, capacity: number) {
    this.#pool = pool;
    this.#rows = new Hash64Map(pool, capacity);
  }

  /** The row of a span, or {@link NO_ROW}. */
  find(idLo: number, idHi: number): number {
    const row = this.#rows.get(idLo, idHi);
    return row === 0 ? NO_ROW : row - 1;
  }

  add(idLo: number, idHi: number, row: number): void {
    this.#rows.set(idLo, idHi, row + 1);
  }

  remove(idLo: number, idHi: number): void {
    this.#rows.delete(idLo, idHi);
  }

  /** True if a span has a child that is a model call. */
  hasCalls(idLo: number, idHi: number): boolean {
    return this.#calls !== undefined && this.#calls.get(idLo, idHi) > 0;
  }

  /** Counts a model call inside the span with that id, which may arrive later. */
  addCall(parentLo: number, parentHi: number): void {
    this.#calls ??= new Hash64Map(this.#pool);
    this.#calls.set(parentLo, parentHi, this.#calls.get(parentLo, parentHi) + 1);
  }

  /** Reverts one {@link addCall}. */
  removeCall(parentLo: number, parentHi: number): void {
    const count = this.#calls?.get(parentLo, parentHi) ?? 0;
    if (count > 1) this.#calls?.set(parentLo, parentHi, count - 1);
    else this.#calls?.delete(parentLo, parentHi);
  }

  /** Gives the memory back: the index must not be used afterwards. */
  release(): void {
    this.#rows.release();
    this.#calls?.release();
  }
}
