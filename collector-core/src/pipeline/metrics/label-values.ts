import { OTHER_LABEL_VALUE } from "../../api-schema/metrics.js";
import { copyText, truncateCodePoints } from "../../span/kept-text.js";

/** What bounds the values of one label. */
interface LabelValuesOptions {
  /** Most distinct values; `""` and `__other__` do not count (contract 4). */
  readonly cap: number;
  /** Code points that are kept of a value (spec 4.7). */
  readonly maxLength: number;
}

/** Text that UTF-8 cannot carry: a surrogate without its other half. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
const ANY_SURROGATE = /[\ud800-\udfff]/;

/**
 * The values of one label: the first `cap` distinct ones, each kept once. It never grows beyond them, whatever
 * senders write.
 */
export class LabelValues {
  /** How often a value was replaced because the cap was reached. */
  overflows = 0;
  private readonly known = new Map<string, string>();
  private readonly maxKnown: number;

  constructor(private readonly options: LabelValuesOptions) {
    for (const free of ["", OTHER_LABEL_VALUE]) this.known.set(free, free);
    this.maxKnown = options.cap + this.known.size;
  }

  /** The value to expose: cut to the length, or `__other__` beyond the cap, which counts as an overflow. */
  resolve(raw: string): string {
    const value = this.find(raw);
    if (value !== undefined) return value;
    this.overflows += 1;
    return OTHER_LABEL_VALUE;
  }

  /** As {@link resolve}, but `undefined` beyond the cap, and counts nothing. */
  find(raw: string): string | undefined {
    // No more UTF-16 units than the limit means no more code points. A longer text is not worth hashing whole.
    const known = raw.length <= this.options.maxLength ? this.known.get(raw) : undefined;
    return known ?? this.admit(raw);
  }

  /** All that are exposed, `""` and `__other__` among them. */
  all(): Iterable<string> {
    return this.known.values();
  }

  private admit(raw: string): string | undefined {
    // Full: only a value that has to be changed could still be a known one.
    const isFull = this.known.size >= this.maxKnown;
    if (isFull && raw.length <= this.options.maxLength && !ANY_SURROGATE.test(raw)) return undefined;
    // Cut first: two values that are equal after truncation are one series. Lone surrogates would all become U+FFFD
    // on the way out and so make two series of one name.
    const value = truncateCodePoints(raw, this.options.maxLength).replace(LONE_SURROGATE, "\ufffd");
    const known = this.known.get(value);
    if (known !== undefined) return known;
    if (isFull) return undefined;
    const copy = copyText(value);
    this.known.set(copy, copy);
    return copy;
  }
}
