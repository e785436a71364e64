import type { Hash64 } from "../../hashing/seeded-hash.js";

/** Bounds the length of a probe. */
const MAX_LOAD = 0.75;
/** A place holds both halves of a hash. */
const FIELDS = 2;
const FREE = 0;

/**
 * Remembers recently evicted traces, so that spans that arrive later are recognized as late (contract 3). Holds hashes of 63 bits
 * outside the heap, in two generations: when the younger one is full, the older one is dropped.
 */
export class EvictedTraces {
  readonly #places: number;
  #younger: Int32Array | undefined;
  #older: Int32Array | undefined;
  #youngerCount = 0;

  /** @param places - per generation, a power of two. Remembers at least three quarters of as many traces, at most twice that. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Memory held. */
  get bytes(): number {
    return (this.#younger?.byteLength ?? 0) + (this.#older?.byteLength ?? 0);
  }

  /** Adds a trace by the hash of its key. */
  add({ lo, hi }: Hash64): void {
    if (this.#youngerCount >= this.#places * MAX_LOAD) {
      const dropped = this.#older?.fill(FREE);
      this.#older = this.#younger;
      this.#younger = dropped;
      this.#youngerCount = 0;
    }
    this.#younger ??= new Int32Array(this.#places * FIELDS);
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

/** The place of a hash, or the free place where it belongs. */
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
