import type { TraceKey } from "../../interfaces.js";
import { NO_SLOT } from "./trace-chain.js";

const FIRST_PLACES = 128;
/** Keeps the load at a half or less, so that a lookup probes one or two places. */
const PLACES_PER_TRACE = 2;
/** A place holds a hash, which is 0 only in a free place, and the slot of the trace. */
const FIELDS = 2;
const FREE = 0;
const NEVER_FREE = 1 << 31;

/**
 * Maps keys to slots of traces by 32 bits of their hash, outside the heap. A Map of strings would hash each string twice,
 * follow references on each lookup, and be scanned by the garbage collector.
 */
export class TraceHashTable {
  readonly #isAt: (slot: number, key: TraceKey) => boolean;
  #places = new Int32Array(FIRST_PLACES * FIELDS);
  #count = 0;

  /** @param isAt - true if the trace in that slot has that key; resolves hash collisions. */
  constructor(isAt: (slot: number, key: TraceKey) => boolean) {
    this.#isAt = isAt;
  }

  /** The slot of a key with that hash, or {@link NO_SLOT}. */
  find(hash: number, key: TraceKey): number {
    const places = this.#places;
    const kept = hash | NEVER_FREE;
    for (let at = this.#home(kept); places[at] !== FREE; at = this.#next(at)) {
      const slot = places[at + 1] as number;
      if (places[at] === kept && this.#isAt(slot, key)) return slot;
    }
    return NO_SLOT;
  }

  add(hash: number, slot: number): void {
    this.#count++;
    if (this.#count * PLACES_PER_TRACE * FIELDS > this.#places.length) this.#grow();
    this.#put(hash | NEVER_FREE, slot);
  }

  /** Removes an entry, which must exist. */
  remove(hash: number, slot: number): void {
    const places = this.#places;
    let gap = this.#home(hash | NEVER_FREE);
    while (places[gap + 1] !== slot) gap = this.#next(gap);
    this.#count--;
    // Closes the gap, so that probing never ends before an entry: moves up each later entry that may be there.
    for (let at = this.#next(gap); places[at] !== FREE; at = this.#next(at)) {
      const kept = places[at] as number;
      const home = this.#home(kept);
      const isBehindGap = gap < at ? home > gap && home <= at : home > gap || home <= at;
      if (isBehindGap) continue;
      places[gap] = kept;
      places[gap + 1] = places[at + 1] as number;
      gap = at;
    }
    places[gap] = FREE;
  }

  clear(): void {
    this.#places = new Int32Array(FIRST_PLACES * FIELDS);
    this.#count = 0;
  }

  #put(kept: number, slot: number): void {
    let at = this.#home(kept);
    while (this.#places[at] !== FREE) at = this.#next(at);
    this.#places[at] = kept;
    this.#places[at + 1] = slot;
  }

  #home(kept: number): number {
    return Math.imul(kept, FIELDS) & (this.#places.length - 1);
  }

  #next(at: number): number {
    return (at + FIELDS) & (this.#places.length - 1);
  }

  #grow(): void {
    const places = this.#places;
    this.#places = new Int32Array(places.length * 2);
    for (let at = 0; at < places.length; at += FIELDS) {
      if (places[at] !== FREE) this.#put(places[at] as number, places[at + 1] as number);
    }
  }
}
