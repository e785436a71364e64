/** Distinct texts in order of arrival, at most `max`. Most traces have none or one. */
export class DistinctValues {
  readonly #max: number;
  readonly #maxCharacters: number;
  #values: string[] | undefined;
  #characters = 0;

  /** @param maxCharacters - of all texts together. The first one may be longer. */
  constructor(max: number, maxCharacters: number) {
    this.#max = max;
    this.#maxCharacters = maxCharacters;
  }

  /** Adds a text that is not empty, unless the list has it or has no room for it. */
  add(value: string): void {
    if (value === "") return;
    if (this.#values === undefined) this.#values = [value];
    else if (
      this.#values.length < this.#max &&
      this.#characters + value.length <= this.#maxCharacters &&
      !this.#values.includes(value)
    )
      this.#values.push(value);
    else return;
    this.#characters += value.length;
  }

  /** A copy of the list. */
  toArray(): string[] {
    return this.#values?.slice() ?? [];
  }
}
