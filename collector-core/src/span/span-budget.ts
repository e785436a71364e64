import { closingQuote, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, wordsOf } from "./json-bytes.js";
import type { StoredSpan } from "./stored-span.js";

/**
 * Maximum number of values, lists and objects of the spans that are kept parsed at a time. Each becomes up to half a kilobyte
 * in an analysis, so that a million items such as `1,` in two megabytes fill the heap.
 */
export const MAX_KEPT_VALUES = 250_000;

/** Bounds of {@link SpanBudget}. */
export interface SpanBudgetOptions {
  /** Bytes of all spans. */
  readonly maxBytes: number;
  /** A larger span does not fit. */
  readonly maxSpanBytes: number;
  /** Values of all spans, lists and objects included. Default: {@link MAX_KEPT_VALUES}. */
  readonly maxValues?: number;
}

/** Says which spans may be parsed whole by work that keeps them all. The others are read without their lists and objects. */
export class SpanBudget {
  readonly #options: SpanBudgetOptions;
  #bytes = 0;
  #values = 0;

  constructor(options: SpanBudgetOptions) {
    this.#options = options;
  }

  /** True if a span fits. It then counts. */
  take(stored: StoredSpan): boolean {
    const { maxBytes, maxSpanBytes, maxValues = MAX_KEPT_VALUES } = this.#options;
    const bytes = stored.slice.end - stored.slice.start;
    if (bytes > maxSpanBytes || this.#bytes + bytes > maxBytes) return false;
    const left = maxValues - this.#values;
    const values = countValues(stored, left);
    if (values > left) return false;
    this.#bytes += bytes;
    this.#values += values;
    return true;
  }
}

/** True if the values of one span are not too many to be kept parsed. */
export function hasFewValues(stored: StoredSpan): boolean {
  return countValues(stored, MAX_KEPT_VALUES) <= MAX_KEPT_VALUES;
}

/** Values, lists and objects of a span, counted in its bytes until they are more than `most`. */
function countValues({ slice: { memory, start, end } }: StoredSpan, most: number): number {
  const json = memory.bytes;
  const words = wordsOf(json);
  let values = 0;
  for (let at = start; at < end && values <= most; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = closingQuote(json, words, at);
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) values++;
  }
  return values;
}
