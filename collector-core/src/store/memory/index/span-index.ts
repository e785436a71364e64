import { INT, NO_ROW, type IntField, type SpanTable } from "../../traces/span-table.js";

const FIRST_BUCKETS = 1024;
/** With fewer, a search would look at one row more; each is a wait for memory, which is what a search costs. */
const BUCKETS_PER_ROW = 2;

/** Which fields of a row an index reads. */
export interface SpanIndexFields {
  readonly keyLo: IntField;
  readonly keyHi: IntField;
  readonly next: IntField;
}

/** By the span's own id. */
export const BY_ID: SpanIndexFields = { keyLo: INT.idLo, keyHi: INT.idHi, next: INT.nextById };
/** By the id of its parent. */
export const BY_PARENT: SpanIndexFields = {
  keyLo: INT.parentLo,
  keyHi: INT.parentHi,
  next: INT.nextByParent,
};

/**
 * Finds rows by a 64-bit key. Linear hashing: it grows by one bucket at a time, so that no append has to wait until
 * millions of rows have been put elsewhere. The rows are chained through a field of their own.
 */
export class SpanIndex {
  #buckets = new Int32Array(FIRST_BUCKETS).fill(NO_ROW);
  #bucketCount = FIRST_BUCKETS;
  #rowCount = 0;

  constructor(
    private readonly table: SpanTable,
    private readonly fields: SpanIndexFields,
  ) {}

  get bytes(): number {
    return this.#buckets.byteLength;
  }

  /** A row with that key, or {@link NO_ROW}. */
  find(keyLo: number, keyHi: number): number {
    const { table, fields } = this;
    let row = this.#buckets[this.#bucketOf(keyLo)] as number;
    while (row !== NO_ROW) {
      if (table.int(row, fields.keyLo) === keyLo && table.int(row, fields.keyHi) === keyHi) return row;
      row = table.int(row, fields.next);
    }
    return NO_ROW;
  }

  /** Adds a row whose key has been set. */
  add(row: number): void {
    this.#link(row);
    this.#rowCount++;
    while (this.#rowCount * BUCKETS_PER_ROW > this.#bucketCount) this.#split();
  }

  /** Removes a row whose key is still as it was added. */
  remove(row: number): void {
    const { table, fields } = this;
    const bucket = this.#bucketOf(table.int(row, fields.keyLo));
    const next = table.int(row, fields.next);
    let at = this.#buckets[bucket] as number;
    if (at === row) {
      this.#buckets[bucket] = next;
    } else {
      while (table.int(at, fields.next) !== row) at = table.int(at, fields.next);
      table.setInt(at, fields.next, next);
    }
    this.#rowCount--;
  }

  clear(): void {
    this.#buckets = new Int32Array(FIRST_BUCKETS).fill(NO_ROW);
    this.#bucketCount = FIRST_BUCKETS;
    this.#rowCount = 0;
  }

  #link(row: number): void {
    const bucket = this.#bucketOf(this.table.int(row, this.fields.keyLo));
    this.table.setInt(row, this.fields.next, this.#buckets[bucket] as number);
    this.#buckets[bucket] = row;
  }

  #bucketOf(keyLo: number): number {
    // The buffer's length is the power of two at or above the count of buckets in use.
    const bucket = keyLo & (this.#buckets.length - 1);
    return bucket < this.#bucketCount ? bucket : bucket & ((this.#buckets.length >>> 1) - 1);
  }

  /** Adds one bucket and shares the rows of the one that stood for it until now. */
  #split(): void {
    const added = this.#bucketCount;
    if (added === this.#buckets.length) {
      const larger = new Int32Array(added * 2).fill(NO_ROW, added);
      larger.set(this.#buckets);
      this.#buckets = larger;
    }
    const shared = added & ((this.#buckets.length >>> 1) - 1);
    this.#bucketCount = added + 1;
    let row = this.#buckets[shared] as number;
    this.#buckets[shared] = NO_ROW;
    while (row !== NO_ROW) {
      const next = this.table.int(row, this.fields.next);
      this.#link(row);
      row = next;
    }
  }
}
