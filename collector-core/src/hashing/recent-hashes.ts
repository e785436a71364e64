import type { Hash64 } from "./seeded-hash.js";

/** One of two hash tables. A free slot holds {@link FREE}. */
interface Generation {
  readonly hashes: Int32Array;
  /** Precise to 0.1 s for ten days, which is enough for an age. */
  readonly addedAtMs: Float32Array;
  count: number;
}

const FREE = 0;
/** Maximum load factor. At this load, most small groups fit into their line. */
const MAX_LOAD = 0.4;
/** Slots per cache line. */
const SLOTS_PER_LINE = 16;

/**
 * A set of the most recent hashes with the time of their insertion, stored in typed arrays outside the V8 heap. String
 * keys would allocate on each lookup and leave 100,000 objects to the garbage collector. There are two generations:
 * when the younger one is full, the older one is evicted. Evictions are not counted, since they lose no span.
 *
 * Hashes of one group, such as the spans of a trace, are looked up together. They share a line of slots, which takes
 * one cache miss instead of one per hash. A hash that does not fit into the line goes to the slot of its own hash.
 *
 * Of the 64 bits of a hash, the upper half is stored and the lower half selects the slot. The probability of a false
 * positive is about 1 in 100 million.
 */
export class RecentHashes {
  readonly #capacity: number;
  readonly #slots: number;
  #younger: Generation | undefined;
  #older: Generation | undefined;

  /** @param capacity - the minimum number of hashes kept. The maximum is twice as many. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#slots = Math.max(SLOTS_PER_LINE, 2 ** Math.ceil(Math.log2(capacity / MAX_LOAD)));
  }

  /**
   * Adds a hash, or updates its time.
   *
   * @param group - a 32-bit hash of the group. Lookups must use the same group.
   */
  add(group: number, { lo, hi }: Hash64, nowMs: number): void {
    const generation = this.#generationWithRoom();
    const slot = findSlot(generation.hashes, group, lo, hi);
    if (generation.hashes[slot] === FREE) generation.count++;
    generation.hashes[slot] = keptPart(hi);
    generation.addedAtMs[slot] = nowMs;
  }

  /** The time of the last insertion of a hash; undefined if it is absent. */
  addedAt(group: number, { lo, hi }: Hash64): number | undefined {
    return addedAtIn(this.#younger, group, lo, hi) ?? addedAtIn(this.#older, group, lo, hi);
  }

  #generationWithRoom(): Generation {
    if (this.#younger !== undefined && this.#younger.count < this.#capacity) return this.#younger;
    const evicted = this.#older;
    this.#older = this.#younger;
    this.#younger = {
      hashes: evicted?.hashes.fill(FREE) ?? new Int32Array(this.#slots),
      addedAtMs: evicted?.addedAtMs ?? new Float32Array(this.#slots),
      count: 0,
    };
    return this.#younger;
  }
}

function addedAtIn(
  generation: Generation | undefined,
  group: number,
  lo: number,
  hi: number,
): number | undefined {
  if (generation === undefined) return undefined;
  const slot = findSlot(generation.hashes, group, lo, hi);
  return generation.hashes[slot] === FREE ? undefined : generation.addedAtMs[slot];
}

/** Returns the slot that holds the hash, or the free slot for it. */
function findSlot(hashes: Int32Array, group: number, lo: number, hi: number): number {
  const kept = keptPart(hi);
  const last = hashes.length - 1;
  const line = group & last & -SLOTS_PER_LINE;
  for (let slot = line; slot < line + SLOTS_PER_LINE; slot++) {
    if (hashes[slot] === FREE || hashes[slot] === kept) return slot;
  }
  let slot = lo & last;
  while (hashes[slot] !== FREE && hashes[slot] !== kept) slot = (slot + 1) & last;
  return slot;
}

/** The stored part of a hash, never {@link FREE}. */
function keptPart(hi: number): number {
  return hi | 1;
}
