/** The end of a chain. */
export const NO_SLOT = -1;

const FIRST_SLOTS = 64;
/** The previous slot and the next one. */
const LINKS = 2;

/**
 * A doubly linked list of slots of traces, in arrays outside the heap. Append, remove and first are O(1); finding the first key of a
 * Map skips all keys deleted before it. References between trace objects would need a write barrier of the garbage
 * collector for each link from an old object to a new one.
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
