/** Distinct texts in order of arrival, at most `max`. Most traces have none or one. */
export class DistinctValues {
  readonly #max: number;
  #values: string[] | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a text that is not empty, unless the list has it or is full. */
  add(value: string): void {
    if (value === "") return;
    if (this.#values === undefined) this.#values = [value];
    else if (this.#values.length < this.#max && !this.#values.includes(value)) this.#values.push(value);
  }

  /** A copy of the list. */
  toArray(): string[] {
    return this.#values?.slice() ?? [];
  }
}
