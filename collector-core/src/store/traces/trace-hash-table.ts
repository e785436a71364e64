import type { TraceKey } from "../../interfaces.js";
import { NO_SLOT } from "./trace-chain.js";

const FIRST_PLACES = 128;
/** So many places for each trace at least: a search then looks at one or two. */
const PLACES_PER_TRACE = 2;
/** What a place holds: a hash, never 0 but where the place is free, and the slot of the trace. */
const FIELDS = 2;
const FREE = 0;
const NEVER_FREE = 1 << 31;

/**
 * The slots of traces by 32 bits of a hash of their key, outside the heap. A Map of the keys themselves would hash each
 * text twice, follow a chain of references to find one, and be walked over by the garbage collector.
 */
export class TraceHashTable {
  #places = new Int32Array(FIRST_PLACES * FIELDS);
  #count = 0;

  /** @param isAt - true where the trace in that slot has that key: hashes fall together. */
  constructor(private readonly isAt: (slot: number, key: TraceKey) => boolean) {}

  /** The slot of a key that has that hash, or {@link NO_SLOT}. */
  find(hash: number, key: TraceKey): number {
    const places = this.#places;
    const kept = hash | NEVER_FREE;
    for (let at = this.#home(kept); places[at] !== FREE; at = this.#next(at)) {
      const slot = places[at + 1] as number;
      if (places[at] === kept && this.isAt(slot, key)) return slot;
    }
    return NO_SLOT;
  }

  add(hash: number, slot: number): void {
    this.#count++;
    if (this.#count * PLACES_PER_TRACE * FIELDS > this.#places.length) this.#grow();
    this.#put(hash | NEVER_FREE, slot);
  }

  /** Removes what was added. */
  remove(hash: number, slot: number): void {
    const places = this.#places;
    let gap = this.#home(hash | NEVER_FREE);
    while (places[gap + 1] !== slot) gap = this.#next(gap);
    this.#count--;
    // What stands behind the gap moves up, unless it would come before the place where a search for it begins.
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
