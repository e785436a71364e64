import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuoteOrEnd,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  wordsOf,
} from "./json-bytes.js";

/** Limits of a JSON text. Parsing an object, array or rare key costs far more than its bytes suggest. */
export interface JsonBounds {
  readonly maxDepth: number;
  /** Objects and arrays together. */
  readonly maxContainers: number;
  /** Weight of rare keys. Default: {@link MAX_RARE_KEYS}. */
  readonly maxRareKeys?: number;
  /** Keys and values together. Default: {@link MAX_VALUES}. */
  readonly maxValues?: number;
}

/**
 * Maximum number of keys and values of a text. A body of 10 MiB can hold five million numbers, which take a quarter of a
 * second to parse.
 */
export const MAX_VALUES = 2_000_000;

/**
 * Maximum weight of the rare keys of a text. V8 gives objects with common keys a shared shape. An object with numeric or
 * rare keys becomes a hash table, which takes up to three microseconds, plus half a microsecond for each further key.
 */
export const MAX_RARE_KEYS = 150_000;
/** The first distinct keys of a text that count as common. */
const COMMON_KEYS = 1000;
/** The weight of the first rare key of an object, which makes it a hash table. */
const FIRST_RARE_KEY = 3;

/**
 * Shorter texts are not scanned, since they are always fast to parse: 256 KiB can hold 87,000 arrays, which take 20 ms.
 */
export const SHORTEST_SCANNED = 256 * 1024;

/** The exceeded bound. */
export type ExceededBound = "depth" | "containers" | "keys" | "values";

const KEY_BITS = 2 ** 18;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Returns the first bound that a JSON text exceeds. Makes one pass over the bytes before they are parsed. The text need
 * not be valid: the parser reports errors of syntax.
 */
export function exceededBound(json: Uint8Array, bounds: JsonBounds): ExceededBound | undefined {
  return json.length < SHORTEST_SCANNED ? undefined : new JsonScanner().exceededBound(json, bounds);
}

/** Scans JSON texts that share the bound on rare keys, such as the texts of one request. */
export class JsonScanner {
  readonly #keys = new CommonKeys();
  #containers = 0;
  #rareKeys = 0;

  /** Objects and arrays of all texts that exceeded no bound. */
  get containers(): number {
    return this.#containers;
  }

  /** Weight of the rare keys of all texts that exceeded no bound. */
  get rareKeys(): number {
    return this.#rareKeys;
  }

  /**
   * Like the function {@link exceededBound}, for a text of any length. `maxRareKeys` bounds the rare keys of all texts
   * together. A text that exceeds a bound is not counted.
   */
  exceededBound(json: Uint8Array, bounds: JsonBounds): ExceededBound | undefined {
    const { length } = json;
    const words = wordsOf(json);
    const keys = this.#keys;
    const { maxRareKeys = MAX_RARE_KEYS, maxValues = MAX_VALUES } = bounds;
    let depth = 0;
    let containers = 0;
    let values = 0;
    let rareKeys = this.#rareKeys;
    /** Whether the next rare key may be the first of its object. */
    let isNewObject = false;
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
          isNewObject = true;
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          depth--;
          isNewObject = true;
          break;
        case COMMA:
          if (++values > maxValues) return "values";
          break;
        case COLON:
          if (++values > maxValues) return "values";
          if (!keys.isRare(json, words, stringStart, stringEnd)) break;
          rareKeys += isNewObject ? FIRST_RARE_KEY : 1;
          if (rareKeys > maxRareKeys) return "keys";
          isNewObject = false;
          break;
      }
    }
    this.#containers += containers;
    this.#rareKeys = rareKeys;
    return undefined;
  }
}

/** Distinguishes common keys from rare ones by a hash of each. On a collision a rare key may count as common. */
class CommonKeys {
  readonly #common = new Uint8Array(KEY_BITS / 8);
  /** Random, so that a sender cannot choose keys whose hashes collide. */
  readonly #seed = Math.trunc(Math.random() * 2 ** 32);
  #count = 0;

  /** True if a key is numeric or is not among the first {@link COMMON_KEYS} distinct keys. */
  isRare(json: Uint8Array, words: DataView, start: number, end: number): boolean {
    const first = json[start] ?? 0;
    // A digit may be written as an escape.
    if ((first >= DIGIT_0 && first <= DIGIT_9) || first === BACKSLASH) return true;
    let hash = this.#seed;
    let at = start;
    for (const lastWord = end - 4; at <= lastWord; at += 4) hash = mix(hash, words.getInt32(at));
    for (; at < end; at++) hash = mix(hash, json[at] ?? 0);
    const bit = hash & (KEY_BITS - 1);
    const mask = 1 << (bit & 7);
    const common = this.#common[bit >>> 3] ?? 0;
    if ((common & mask) !== 0) return false;
    if (this.#count >= COMMON_KEYS) return true;
    this.#common[bit >>> 3] = common | mask;
    this.#count++;
    return false;
  }
}

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
