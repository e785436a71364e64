/** A value, and how many have it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** The most frequent of many values, ties by name: most are looked at once, against the last that is kept. */
export class MostFrequent {
  readonly #best: ValueCount[] = [];

  /** @param max - how many are kept. */
  constructor(private readonly max: number) {}

  /** Adds a value, each once. */
  add(value: string, count: number): void {
    const best = this.#best;
    const last = best[this.max - 1];
    if (last !== undefined && !isBefore(value, count, last)) return;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(value, count, best[middle] as ValueCount)) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, { value, count });
    if (best.length > this.max) best.pop();
  }

  /** The most frequent first. */
  get entries(): readonly ValueCount[] {
    return this.#best;
  }
}

function isBefore(value: string, count: number, than: ValueCount): boolean {
  return count > than.count || (count === than.count && value < than.value);
}
