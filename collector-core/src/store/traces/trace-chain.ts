/** No slot: the end of a chain. */
export const NO_SLOT = -1;

const FIRST_SLOTS = 64;
/** The slot before, and the one after. */
const LINKS = 2;

/**
 * Traces in an order, each known by its slot, as a chain of numbers outside the heap: adding, removing and the first are
 * O(1), where a Map's first key is found only by walking over all that were deleted before it. References from trace to
 * trace would do the same, but each that is written from an old object to a new one is work for the garbage collector.
 */
export class TraceChain {
  first = NO_SLOT;
  last = NO_SLOT;
  #links = new Int32Array(FIRST_SLOTS * LINKS);

  before(slot: number): number {
    return this.#links[slot * LINKS] as number;
  }

  after(slot: number): number {
    return this.#links[slot * LINKS + 1] as number;
  }

  append(slot: number): void {
    const at = slot * LINKS;
    if (at >= this.#links.length) this.#grow(at);
    this.#links[at] = this.last;
    this.#links[at + 1] = NO_SLOT;
    if (this.last === NO_SLOT) this.first = slot;
    else this.#links[this.last * LINKS + 1] = slot;
    this.last = slot;
  }

  remove(slot: number): void {
    const before = this.before(slot);
    const after = this.after(slot);
    if (before === NO_SLOT) this.first = after;
    else this.#links[before * LINKS + 1] = after;
    if (after === NO_SLOT) this.last = before;
    else this.#links[after * LINKS] = before;
  }

  moveToEnd(slot: number): void {
    if (this.last === slot) return;
    this.remove(slot);
    this.append(slot);
  }

  clear(): void {
    this.first = NO_SLOT;
    this.last = NO_SLOT;
    this.#links = new Int32Array(FIRST_SLOTS * LINKS);
  }

  #grow(at: number): void {
    const larger = new Int32Array(Math.max(this.#links.length * 2, at + LINKS));
    larger.set(this.#links);
    this.#links = larger;
  }
}
