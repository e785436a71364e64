/** Remembers ids, at most a number of them; the oldest are forgotten first. */
export class RememberedIds {
  readonly #ids = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds an id. Returns true if it was not remembered. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#limit) break;
      this.#ids.delete(oldest);
    }
    return true;
  }
}
