import { OTHER_LABEL_VALUE } from "../../api-schema/metrics.js";
import { copyText, truncateCodePoints } from "../../span/kept-text.js";

/** Options of {@link LabelValues}. */
interface LabelValuesOptions {
  /** Maximum number of distinct values; `""` and `__other__` do not count (contract 4). */
  readonly cap: number;
  /** Maximum length of a value, in code points (spec 4.7). */
  readonly maxLength: number;
}

/** A surrogate without its other half, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
const ANY_SURROGATE = /[\ud800-\udfff]/;

/**
 * Interns the first `cap` distinct values of one label, and never holds more.
 */
export class LabelValues {
  /** How often a value was replaced because the cap was reached. */
  overflows = 0;
  readonly #values = new Map<string, string>();
  readonly #maxValues: number;
  readonly #maxLength: number;

  constructor({ cap, maxLength }: LabelValuesOptions) {
    for (const uncapped of ["", OTHER_LABEL_VALUE]) this.#values.set(uncapped, uncapped);
    this.#maxValues = cap + this.#values.size;
    this.#maxLength = maxLength;
  }

  /**
   * Returns the value to expose, truncated to the maximum length. Beyond the cap it returns `__other__` and counts
   * it.
   */
  resolve(raw: string): string {
    const value = this.find(raw);
    if (value !== undefined) return value;
    this.overflows += 1;
    return OTHER_LABEL_VALUE;
  }

  /** Like {@link resolve}, but returns `undefined` beyond the cap and does not count it. */
  find(raw: string): string | undefined {
    // A text has at most as many code points as UTF-16 units. Skips hashing longer texts.
    const value = raw.length <= this.#maxLength ? this.#values.get(raw) : undefined;
    return value ?? this.#admit(raw);
  }

  /** All exposed values, including `""` and `__other__`. */
  all(): Iterable<string> {
    return this.#values.values();
  }

  #admit(raw: string): string | undefined {
    // When full, only a value that normalization changes can still match an interned one.
    const isFull = this.#values.size >= this.#maxValues;
    if (isFull && raw.length <= this.#maxLength && !ANY_SURROGATE.test(raw)) return undefined;
    // Normalizes first, so that values that are equal when written share one series. UTF-8 encoding turns every lone
    // surrogate into U+FFFD.
    const normalized = truncateCodePoints(raw, this.#maxLength).replace(LONE_SURROGATE, "\ufffd");
    const value = this.#values.get(normalized);
    if (value !== undefined) return value;
    if (isFull) return undefined;
    const copy = copyText(normalized);
    this.#values.set(copy, copy);
    return copy;
  }
}
