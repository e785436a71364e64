/** Estimated heap cost of a typed array and its buffer. */
const OBJECT_BYTES = 200;
/** Larger tables are left to the garbage collector: those of traces of more than 256 spans. */
const MAX_POOLED_LENGTH = 2 ** 11;
/** Free tables kept of each length: a batch needs one or two of each. All free tables take less than 64 KiB. */
const MAX_FREE_PER_LENGTH = 4;

/**
 * Allocates hash tables and counts their memory. Free tables are reused: at a full store each new trace takes the
 * tables of the trace that it evicts, so that ingestion allocates none.
 */
export class TablePool {
  /** Free tables by length. */
  readonly #free = new Map<number, Int32Array[]>();
  #bytes = 0;

  /** Memory of all tables, free ones included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns a table of zeros. */
  take(length: number): Int32Array {
    const free = this.#free.get(length)?.pop();
    if (free !== undefined) return free.fill(0);
    const table = new Int32Array(length);
    this.#bytes += bytesOf(table);
    return table;
  }

  /** Takes a table back that is no longer used. */
  giveBack(table: Int32Array): void {
    if (table.length <= MAX_POOLED_LENGTH) {
      let free = this.#free.get(table.length);
      if (free === undefined) {
        free = [];
        this.#free.set(table.length, free);
      }
      if (free.length < MAX_FREE_PER_LENGTH) {
        free.push(table);
        return;
      }
    }
    this.#bytes -= bytesOf(table);
  }

  /** Drops all tables: none may be in use. */
  clear(): void {
    this.#free.clear();
    this.#bytes = 0;
  }
}

function bytesOf(table: Int32Array): number {
  return table.byteLength + OBJECT_BYTES;
}
