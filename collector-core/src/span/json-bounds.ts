import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuoteOrEnd,
  COLON,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  wordsOf,
} from "./json-bytes.js";

/** What a JSON text may have. Each object, array and new key costs far more than the bytes that say it. */
export interface JsonBounds {
  readonly maxDepth: number;
  /** Objects and arrays together. */
  readonly maxContainers: number;
}

/** Distinct keys of a text at most: the parser takes a microsecond for each that it has not seen before. */
export const MAX_DISTINCT_KEYS = 250_000;

/**
 * Shorter texts are not looked at: they cannot take long, whatever they are. Of 256 KiB a parser makes 87,000 arrays
 * in 20 ms.
 */
export const SHORTEST_SCANNED = 256 * 1024;

/** The bound that a text is beyond. */
export type ExceededBound = "depth" | "containers" | "keys";

const KEY_BITS = 2 ** 22;

/**
 * Looks for a bound that a JSON text is beyond, in one pass over the bytes and before it is parsed. The text need not be
 * valid: of one that is not, the parser says so.
 */
export function exceededBound(json: Uint8Array, bounds: JsonBounds): ExceededBound | undefined {
  const { length } = json;
  if (length < SHORTEST_SCANNED) return undefined;
  const words = wordsOf(json);
  const keys = new KeyCounter(json, words);
  let depth = 0;
  let containers = 0;
  let stringStart = 0;
  let stringEnd = 0;
  for (let at = 0; at < length; at++) {
    switch (json[at] ?? 0) {
      case QUOTE:
        stringStart = at + 1;
        stringEnd = at = closingQuoteOrEnd(json, words, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > bounds.maxDepth) return "depth";
        if (++containers > bounds.maxContainers) return "containers";
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
      case COLON:
        if (keys.add(stringStart, stringEnd) > MAX_DISTINCT_KEYS) return "keys";
        break;
    }
  }
  return undefined;
}

/** Counts distinct keys by a hash of each. Where two hashes fall together the count is too low, never too high. */
class KeyCounter {
  readonly #seen = new Uint8Array(KEY_BITS / 8);
  /** Drawn at random, so that nobody can choose keys that fall together. */
  readonly #seed = Math.trunc(Math.random() * 2 ** 32);
  #count = 0;

  constructor(
    private readonly json: Uint8Array,
    private readonly words: DataView,
  ) {}

  /** @returns how many there have been. */
  add(start: number, end: number): number {
    let hash = this.#seed;
    let at = start;
    for (const lastWord = end - 4; at <= lastWord; at += 4) hash = mix(hash, this.words.getInt32(at));
    for (; at < end; at++) hash = mix(hash, this.json[at] ?? 0);
    const bit = hash & (KEY_BITS - 1);
    const mask = 1 << (bit & 7);
    const seen = this.#seen[bit >>> 3] ?? 0;
    if ((seen & mask) === 0) {
      this.#seen[bit >>> 3] = seen | mask;
      this.#count++;
    }
    return this.#count;
  }
}

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
