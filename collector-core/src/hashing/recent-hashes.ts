import type { Hash64 } from "./seeded-hash.js";

/** One of two tables; a free slot holds {@link FREE}. */
interface Generation {
  readonly hashes: Int32Array;
  /** To a tenth of a second and better for ten days, which is enough to tell an age by. */
  readonly addedAtMs: Float32Array;
  count: number;
}

const FREE = 0;
/** Part of the slots that are used at most: most groups of a few hashes then find room in their line. */
const MAX_LOAD = 0.4;
/** Slots that come from memory at once. */
const SLOTS_PER_LINE = 16;

/**
 * Remembers the last hashes that it was given, and when, outside the heap: keys made of text would cost a string for
 * every question, and a hundred thousand objects for the garbage collector to walk over. Two generations: when the
 * younger one is full the older is forgotten whole. Nothing is counted, for what is lost is a memory and not a span.
 *
 * What belongs together, as the spans of a trace do, is asked for together: such a group has a line of slots, so that
 * memory is waited for once and not for each hash. What finds no room there goes where its own hash says.
 *
 * A hash is of 64 bits, of which the upper half is kept and the lower half says where it belongs: one that was never
 * added is taken for known once in a hundred million times.
 */
export class RecentHashes {
  readonly #slots: number;
  #younger: Generation | undefined;
  #older: Generation | undefined;

  /** @param capacity - so many are remembered always, and twice as many at most. */
  constructor(private readonly capacity: number) {
    this.#slots = Math.max(SLOTS_PER_LINE, 2 ** Math.ceil(Math.log2(capacity / MAX_LOAD)));
  }

  /**
   * Remembers a hash, or remembers it anew.
   *
   * @param group - a hash of what it belongs to: 32 bits, the same whenever it is asked for.
   */
  add(group: number, { lo, hi }: Hash64, nowMs: number): void {
    const generation = this.#generationWithRoom();
    const slot = findSlot(generation.hashes, group, lo, hi);
    if (generation.hashes[slot] === FREE) generation.count++;
    generation.hashes[slot] = keptPart(hi);
    generation.addedAtMs[slot] = nowMs;
  }

  /** When a hash was added last; undefined where it is not known. */
  addedAt(group: number, { lo, hi }: Hash64): number | undefined {
    return addedAtIn(this.#younger, group, lo, hi) ?? addedAtIn(this.#older, group, lo, hi);
  }

  #generationWithRoom(): Generation {
    if (this.#younger !== undefined && this.#younger.count < this.capacity) return this.#younger;
    const forgotten = this.#older;
    this.#older = this.#younger;
    this.#younger = {
      hashes: forgotten?.hashes.fill(FREE) ?? new Int32Array(this.#slots),
      addedAtMs: forgotten?.addedAtMs ?? new Float32Array(this.#slots),
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

/** The slot that holds the hash, or the free one where it belongs. */
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

/** Never {@link FREE}. */
function keptPart(hi: number): number {
  return hi | 1;
}
