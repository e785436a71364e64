/** Most parts of one response that are kept. */
export const MAX_PARTS = 1000;

/** Parts of a response that a stream sends in any order, by their index. Those beyond {@link MAX_PARTS} are left out. */
export class IndexedParts<Part> {
  readonly #parts = new Map<number, Part>();
  readonly #create: () => Part;

  /** @param create - creates the part that a chunk mentions first. */
  constructor(create: () => Part) {
    this.#create = create;
  }

  get size(): number {
    return this.#parts.size;
  }

  /** The part with an index, created on first use; one that is left out if there are too many. */
  at(index: number): Part {
    const existing = this.#parts.get(index);
    if (existing !== undefined) return existing;
    const created = this.#create();
    if (this.#parts.size < MAX_PARTS) this.#parts.set(index, created);
    return created;
  }

  /** All parts, ordered by index. */
  inOrder(): Part[] {
    return [...this.#parts].sort(([left], [right]) => left - right).map(([, part]) => part);
  }
}
