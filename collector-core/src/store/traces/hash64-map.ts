import type { TablePool } from "./table-pool.js";

const FIRST_PLACES = 16;
/** Keeps the load at a half or less, so that a lookup probes one or two places. */
const PLACES_PER_ENTRY = 2;
/** A place holds both halves of the hash, and the value. */
const FIELDS = 3;
const VALUE = 2;
/** The value of a free place. */
const NONE = 0;

/**
 * Maps 64-bit hashes to positive integers, with open addressing in one table outside the heap. Hashes must be seeded:
 * nobody outside can choose keys that collide.
 */
export class Hash64Map {
  readonly #pool: TablePool;
  #table: Int32Array;
  #mask: number;
  #size = 0;

  /** @param capacity - entries to make room for at first. */
  constructor(pool: TablePool, capacity = 0) {
    const places = Math.max(FIRST_PLACES, 2 ** Math.ceil(Math.log2(capacity * PLACES_PER_ENTRY)));
    this.#pool = pool;
    this.#table = pool.take(places * FIELDS);
    this.#mask = places - 1;
  }

  /** The value of a hash, or 0. */
  get(lo: number, hi: number): number {
    return this.#table[this.#find(lo, hi) + VALUE] as number;
  }

  /** @param value - above 0. */
  set(lo: number, hi: number, value: number): void {
    let at = this.#find(lo, hi);
    if (this.#table[at + VALUE] === NONE) {
      if ((this.#size + 1) * PLACES_PER_ENTRY > this.#mask + 1) {
        this.#grow();
        at = this.#find(lo, hi);
      }
      this.#size++;
    }
    this.#table[at] = lo;
    this.#table[at + 1] = hi;
    this.#table[at + VALUE] = value;
  }

  /** Safe for a hash without a value. */
  delete(lo: number, hi: number): void {
    const table = this.#table;
    let gap = this.#find(lo, hi);
    if (table[gap + VALUE] === NONE) return;
    this.#size--;
    // Closes the gap, so that probing never ends before an entry: moves up each later entry that may be there.
    for (let at = this.#next(gap); table[at + VALUE] !== NONE; at = this.#next(at)) {
      const home = this.#home(table[at] as number);
      const isBehindGap = gap < at ? home > gap && home <= at : home > gap || home <= at;
      if (isBehindGap) continue;
      table.copyWithin(gap, at, at + FIELDS);
      gap = at;
    }
    table[gap + VALUE] = NONE;
  }

  /** Gives the memory back: the map must not be used afterwards. */
  release(): void {
    this.#pool.giveBack(this.#table);
  }

  /** Where a hash is, or the free place where it belongs. */
  #find(lo: number, hi: number): number {
    const table = this.#table;
    let at = this.#home(lo);
    while (table[at + VALUE] !== NONE && (table[at] !== lo || table[at + 1] !== hi)) at = this.#next(at);
    return at;
  }

  #home(lo: number): number {
    return (lo & this.#mask) * FIELDS;
  }

  #next(at: number): number {
    const next = at + FIELDS;
    return next === this.#table.length ? 0 : next;
  }

  #grow(): void {
    const old = this.#table;
    const places = (this.#mask + 1) * 2;
    this.#table = this.#pool.take(places * FIELDS);
    this.#mask = places - 1;
    for (let from = 0; from < old.length; from += FIELDS) {
      if (old[from + VALUE] === NONE) continue;
      const at = this.#find(old[from] as number, old[from + 1] as number);
      this.#table[at] = old[from] as number;
      this.#table[at + 1] = old[from + 1] as number;
      this.#table[at + VALUE] = old[from + VALUE] as number;
    }
    this.#pool.giveBack(old);
  }
}
