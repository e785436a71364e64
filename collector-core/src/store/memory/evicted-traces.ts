import type { Hash64 } from "../../hashing/seeded-hash.js";

/** Part of the places that are used at most, so that a search ends soon. */
const MAX_LOAD = 0.75;
/** Both halves of a hash. */
const FIELDS = 2;
const FREE = 0;

/**
 * Remembers which traces were evicted, so that a span that comes late is known to be late (contract 3): the last ones,
 * as hashes of 63 bits outside the heap. Two generations: when the younger is full the older is forgotten whole.
 */
export class EvictedTraces {
  #younger: Int32Array | undefined;
  #older: Int32Array | undefined;
  #youngerCount = 0;

  /** @param places - a power of two; three quarters of so many traces are remembered always, and twice that at most. */
  constructor(private readonly places: number) {}

  /** Bytes held. */
  get bytes(): number {
    return (this.#younger?.byteLength ?? 0) + (this.#older?.byteLength ?? 0);
  }

  /** Remembers a trace by the hash of its key. */
  add({ lo, hi }: Hash64): void {
    if (this.#youngerCount >= this.places * MAX_LOAD) {
      const forgotten = this.#older?.fill(FREE);
      this.#older = this.#younger;
      this.#younger = forgotten;
      this.#youngerCount = 0;
    }
    this.#younger ??= new Int32Array(this.places * FIELDS);
    const at = findPlace(this.#younger, lo, hi);
    if (this.#younger[at] !== FREE) return;
    this.#younger[at] = keptPart(hi);
    this.#younger[at + 1] = lo;
    this.#youngerCount++;
  }

  has(hash: Hash64): boolean {
    if (this.#younger === undefined) return false;
    return contains(this.#younger, hash) || (this.#older !== undefined && contains(this.#older, hash));
  }

  clear(): void {
    this.#younger = undefined;
    this.#older = undefined;
    this.#youngerCount = 0;
  }
}

function contains(generation: Int32Array, { lo, hi }: Hash64): boolean {
  return generation[findPlace(generation, lo, hi)] !== FREE;
}

/** The place that holds the hash, or the free one where it belongs. */
function findPlace(generation: Int32Array, lo: number, hi: number): number {
  const kept = keptPart(hi);
  const last = generation.length - 1;
  let at = Math.imul(lo, FIELDS) & last;
  while (generation[at] !== FREE && (generation[at] !== kept || generation[at + 1] !== lo))
    at = (at + FIELDS) & last;
  return at;
}

/** Never {@link FREE}. */
function keptPart(hi: number): number {
  return hi | 1;
}
