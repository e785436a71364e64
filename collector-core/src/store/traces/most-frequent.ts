/** A value with its count. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Collects the most frequent of many values, or those that rank highest by another number, ties by name. Most values cost one comparison, with the last one kept. */
export class MostFrequent {
  readonly #max: number;
  readonly #best: ValueCount[] = [];

  /** @param max - values to keep. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a value, which must be new. */
  add(value: string, count: number): void {
    const best = this.#best;
    const last = best[this.#max - 1];
    if (last !== undefined && !isBefore(value, count, last)) return;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(value, count, best[middle] as ValueCount)) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, { value, count });
    if (best.length > this.#max) best.pop();
  }

  /** The most frequent first. */
  get entries(): readonly ValueCount[] {
    return this.#best;
  }
}

function isBefore(value: string, count: number, than: ValueCount): boolean {
  return count > than.count || (count === than.count && value < than.value);
}
