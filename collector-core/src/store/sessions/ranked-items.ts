/** Collects the first items of a list in some order, from items in any order. Holds at most two pages. */
export class RankedItems<Item> {
  readonly #limit: number;
  readonly #compare: (a: Item, b: Item) => number;
  #best: Item[] = [];
  /** Of a full page: an item behind it gets on no page. */
  #worst: Item | undefined;

  /**
   * @param limit - items of a page.
   * @param compare - negative if the first item comes first.
   */
  constructor(limit: number, compare: (a: Item, b: Item) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  /** Whether an item would be on the page, as far as is known. */
  takes(item: Item): boolean {
    return this.#worst === undefined || this.#compare(item, this.#worst) < 0;
  }

  add(item: Item): void {
    if (!this.takes(item)) return;
    this.#best.push(item);
    if (this.#best.length > this.#limit * 2) this.#cut();
  }

  /** The items of the page in order, and whether there are more. */
  finish(): { readonly page: readonly Item[]; readonly hasMore: boolean } {
    this.#cut();
    return { page: this.#best.slice(0, this.#limit), hasMore: this.#best.length > this.#limit };
  }

  /** One item more than the page tells whether there is a next page. */
  #cut(): void {
    this.#best.sort(this.#compare);
    if (this.#best.length <= this.#limit) return;
    this.#best.length = this.#limit + 1;
    this.#worst = this.#best.at(-1);
  }
}
