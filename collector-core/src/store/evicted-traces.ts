import type { TraceKey } from "../interfaces.js";
import { SeededHash } from "../seeded-hash.js";

/** Part of the slots that are used at most, so that a search ends soon. */
const MAX_LOAD = 0.75;

/**
 * Remembers which traces were evicted, so that a span that comes late is known to be late (contract 3): the last ones,
 * as hashes of 52 bits outside the heap. Two generations: when the younger is full the older is forgotten whole.
 */
export class EvictedTraces {
  readonly #hash = new SeededHash();
  #younger: Float64Array | undefined;
  #older: Float64Array | undefined;
  #youngerCount = 0;

  /** @param slots - three quarters of so many traces are remembered always, and twice that at most. */
  constructor(private readonly slots: number) {}

  /** Bytes held. */
  get bytes(): number {
    return (this.#younger?.byteLength ?? 0) + (this.#older?.byteLength ?? 0);
  }

  add(key: TraceKey): void {
    if (this.#youngerCount >= this.slots * MAX_LOAD) {
      const forgotten = this.#older?.fill(0);
      this.#older = this.#younger;
      this.#younger = forgotten;
      this.#youngerCount = 0;
    }
    this.#younger ??= new Float64Array(this.slots);
    const hash = this.#hash.ofPair(key.tenant, key.traceId).number;
    const slot = findSlot(this.#younger, hash);
    if (this.#younger[slot] === hash) return;
    this.#younger[slot] = hash;
    this.#youngerCount++;
  }

  has(key: TraceKey): boolean {
    if (this.#younger === undefined) return false;
    const hash = this.#hash.ofPair(key.tenant, key.traceId).number;
    return contains(this.#younger, hash) || (this.#older !== undefined && contains(this.#older, hash));
  }

  clear(): void {
    this.#younger = undefined;
    this.#older = undefined;
    this.#youngerCount = 0;
  }
}

function contains(generation: Float64Array, hash: number): boolean {
  return generation[findSlot(generation, hash)] === hash;
}

/** The slot that holds `hash`, or the free one where it belongs. */
function findSlot(generation: Float64Array, hash: number): number {
  let slot = hash % generation.length;
  while (generation[slot] !== 0 && generation[slot] !== hash) slot = (slot + 1) % generation.length;
  return slot;
}
