/** One of two tables; a free slot holds {@link FREE}. */
interface Generation {
  readonly hashes: Int32Array;
  readonly addedAtMs: Float64Array;
  count: number;
}

const FREE = 0;
/** Part of the slots that are used at most, so that a search ends soon. */
const MAX_LOAD = 0.8;

/**
 * Remembers the last hashes that it was given, and when, outside the heap: keys made of text would cost a string for
 * every question, and a hundred thousand objects for the garbage collector to walk over. Two generations: when the
 * younger one is full the older is forgotten whole. Nothing is counted, for what is lost is a memory and not a span.
 *
 * A hash is of 64 bits, of which the lower half says where it belongs and the upper half is kept: one that was never
 * added is taken for known once in a billion times.
 */
export class RecentHashes {
  readonly #slots: number;
  #younger: Generation | undefined;
  #older: Generation | undefined;

  /** @param capacity - so many are remembered always, and twice as many at most. */
  constructor(private readonly capacity: number) {
    this.#slots = 2 ** Math.ceil(Math.log2(capacity / MAX_LOAD));
  }

  /** Remembers a hash, or remembers it anew. */
  add(lo: number, hi: number, nowMs: number): void {
    const generation = this.#generationWithRoom();
    const slot = findSlot(generation.hashes, lo, hi);
    if (generation.hashes[slot] === FREE) generation.count++;
    generation.hashes[slot] = keptPart(hi);
    generation.addedAtMs[slot] = nowMs;
  }

  /** When a hash was added last; undefined where it is not known. */
  addedAt(lo: number, hi: number): number | undefined {
    return addedAtIn(this.#younger, lo, hi) ?? addedAtIn(this.#older, lo, hi);
  }

  #generationWithRoom(): Generation {
    if (this.#younger !== undefined && this.#younger.count < this.capacity) return this.#younger;
    const forgotten = this.#older;
    this.#older = this.#younger;
    this.#younger = {
      hashes: forgotten?.hashes.fill(FREE) ?? new Int32Array(this.#slots),
      addedAtMs: forgotten?.addedAtMs ?? new Float64Array(this.#slots),
      count: 0,
    };
    return this.#younger;
  }
}

function addedAtIn(generation: Generation | undefined, lo: number, hi: number): number | undefined {
  if (generation === undefined) return undefined;
  const slot = findSlot(generation.hashes, lo, hi);
  return generation.hashes[slot] === FREE ? undefined : generation.addedAtMs[slot];
}

/** The slot that holds the hash, or the free one where it belongs. */
function findSlot(hashes: Int32Array, lo: number, hi: number): number {
  const kept = keptPart(hi);
  const last = hashes.length - 1;
  let slot = lo & last;
  while (hashes[slot] !== FREE && hashes[slot] !== kept) slot = (slot + 1) & last;
  return slot;
}

/** Never {@link FREE}. */
function keptPart(hi: number): number {
  return hi | 1;
}
