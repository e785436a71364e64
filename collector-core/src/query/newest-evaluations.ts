import type { Evaluation } from "../api-schema/evaluations.js";

/** Upper bounds of the memory of an entry without its texts, and of a character. */
const ENTRY_BYTES = 600;
const BYTES_PER_CHARACTER = 2;

/** Limits of {@link NewestEvaluations}. */
export interface EvaluationLimits {
  readonly capacity: number;
  readonly maxBytes: number;
}

/** The newest evaluations, bounded by their number and their memory. */
export class NewestEvaluations<Entry extends { readonly evaluation: Evaluation }> {
  readonly #limits: EvaluationLimits;
  readonly #onEvicted: (newest: Entry) => void;
  /** Oldest first. May have a tenth more than the capacity. */
  #entries: Entry[] = [];
  #bytes = 0;

  /** @param onEvicted - gets the newest entry of those that were evicted. */
  constructor(limits: EvaluationLimits, onEvicted: (newest: Entry) => void = () => undefined) {
    this.#limits = limits;
    this.#onEvicted = onEvicted;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += bytesOf(entry);
    this.#evictExcess();
  }

  /** Adds entries that are older than all others. */
  addOlder(older: readonly Entry[]): void {
    this.#entries = [...older, ...this.#entries];
    for (const entry of older) this.#bytes += bytesOf(entry);
    this.#evictExcess();
  }

  /** Replaces entries that were not evicted or removed meanwhile. */
  replace(replacements: ReadonlyMap<Entry, Entry>): void {
    let left = replacements.size;
    for (let at = this.#entries.length - 1; at >= 0 && left > 0; at--) {
      const entry = this.#entries[at];
      const replacement = entry && replacements.get(entry);
      if (entry === undefined || replacement === undefined) continue;
      this.#entries[at] = replacement;
      this.#bytes += bytesOf(replacement) - bytesOf(entry);
      left--;
    }
    this.#evictExcess();
  }

  remove(isRemoved: (entry: Entry) => boolean): void {
    // Traces are deleted one by one: what stays is not measured again for each.
    this.#entries = this.#entries.filter((entry) => {
      if (!isRemoved(entry)) return true;
      this.#bytes -= bytesOf(entry);
      return false;
    });
  }

  /** Evicts in batches, so that the array is not copied for each entry. */
  #evictExcess(): void {
    const { capacity, maxBytes } = this.#limits;
    if (this.#entries.length > capacity * 1.1) this.#evict(this.#entries.length - capacity);
    if (this.#bytes > maxBytes) this.#evict(this.#countToEvict(maxBytes * 0.9));
  }

  #evict(count: number): void {
    for (const entry of this.#entries.slice(0, count)) this.#bytes -= bytesOf(entry);
    const newest = this.#entries[count - 1];
    this.#entries = this.#entries.slice(count);
    if (newest !== undefined) this.#onEvicted(newest);
  }

  /** The number of oldest entries to evict until the rest takes at most `wantedBytes`. */
  #countToEvict(wantedBytes: number): number {
    let left = this.#bytes;
    let count = 0;
    for (const entry of this.#entries) {
      if (left <= wantedBytes) break;
      left -= bytesOf(entry);
      count++;
    }
    return count;
  }
}

function bytesOf({ evaluation }: { readonly evaluation: Evaluation }): number {
  let characters = 0;
  for (const value of Object.values(evaluation)) if (typeof value === "string") characters += value.length;
  return ENTRY_BYTES + characters * BYTES_PER_CHARACTER;
}
