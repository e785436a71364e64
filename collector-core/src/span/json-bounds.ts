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
  /** Rare short strings. Default: {@link MAX_RARE_STRINGS}. */
  readonly maxRareStrings?: number;
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
/**
 * Maximum number of rare short strings of a text, as values. V8 keeps one copy of each string of up to 10 characters, and
 * looks each one up: up to 0.4 microseconds for a new string, ten times as much as for a number or a longer string.
 */
export const MAX_RARE_STRINGS = 300_000;
/** In UTF-16 code units, as V8 counts. */
const LONGEST_SHORT_STRING = 10;
/** Bytes of the longest short string: ten escapes such as `\u00e9`. */
const MOST_BYTES_OF_SHORT_STRING = 6 * LONGEST_SHORT_STRING;

/** The first distinct keys, and the first distinct short strings, of a text that count as common. */
const COMMON_TEXTS = 1000;
/** The weight of the first rare key of an object, which makes it a hash table. */
const FIRST_RARE_KEY = 3;

/**
 * Shorter texts are not scanned, since they are always fast to parse: 256 KiB can hold 87,000 arrays, which take 20 ms.
 */
export const SHORTEST_SCANNED = 256 * 1024;

/** The exceeded bound. */
export type ExceededBound = "depth" | "containers" | "keys" | "values" | "strings";

const TEXT_BITS = 2 ** 18;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTER_U = 0x75;

/**
 * Returns the first bound that a JSON text exceeds. Makes one pass over the bytes before they are parsed. The text need
 * not be valid: the parser reports errors of syntax.
 */
export function exceededBound(json: Uint8Array, bounds: JsonBounds): ExceededBound | undefined {
  return json.length < SHORTEST_SCANNED ? undefined : new JsonScanner().exceededBound(json, bounds);
}

/** Scans JSON texts that share the bounds on rare keys and strings, such as the texts of one request. */
export class JsonScanner {
  readonly #keys = new CommonTexts();
  readonly #strings = new CommonTexts();
  #containers = 0;
  #rareKeys = 0;
  #rareStrings = 0;

  /** Objects and arrays of all texts that exceeded no bound. */
  get containers(): number {
    return this.#containers;
  }

  /** Weight of the rare keys of all texts that exceeded no bound. */
  get rareKeys(): number {
    return this.#rareKeys;
  }

  /** Rare short strings of all texts that exceeded no bound. */
  get rareStrings(): number {
    return this.#rareStrings;
  }

  /**
   * Like the function {@link exceededBound}, for a text of any length. `maxRareKeys` and `maxRareStrings` bound those of all
   * texts together. A text that exceeds a bound is not counted.
   */
  exceededBound(json: Uint8Array, bounds: JsonBounds): ExceededBound | undefined {
    const { length } = json;
    const words = wordsOf(json);
    const keys = this.#keys;
    const strings = this.#strings;
    const { maxRareKeys = MAX_RARE_KEYS, maxRareStrings = MAX_RARE_STRINGS, maxValues = MAX_VALUES } = bounds;
    let depth = 0;
    let containers = 0;
    let values = 0;
    let rareKeys = this.#rareKeys;
    let rareStrings = this.#rareStrings;
    /** Whether the next rare key may be the first of its object. */
    let isNewObject = false;
    let stringStart = 0;
    let stringEnd = 0;
    for (let at = 0; at < length; at++) {
      switch (json[at] ?? 0) {
        case QUOTE:
          stringStart = at + 1;
          stringEnd = at = closingQuoteOrEnd(json, words, at);
          // A key that is followed by white space counts as a string too.
          if (json[at + 1] === COLON || !isShort(json, stringStart, stringEnd)) break;
          if (strings.isRare(json, words, stringStart, stringEnd) && ++rareStrings > maxRareStrings)
            return "strings";
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
          if (!isNumeric(json[stringStart]) && !keys.isRare(json, words, stringStart, stringEnd)) break;
          rareKeys += isNewObject ? FIRST_RARE_KEY : 1;
          if (rareKeys > maxRareKeys) return "keys";
          isNewObject = false;
          break;
      }
    }
    this.#containers += containers;
    this.#rareKeys = rareKeys;
    this.#rareStrings = rareStrings;
    return undefined;
  }
}

/** True for the first byte of a key that may be numeric: a digit may be written as an escape. */
function isNumeric(first = 0): boolean {
  return (first >= DIGIT_0 && first <= DIGIT_9) || first === BACKSLASH;
}

/** True for a string of at most {@link LONGEST_SHORT_STRING} characters. */
function isShort(json: Uint8Array, start: number, end: number): boolean {
  if (end - start <= LONGEST_SHORT_STRING) return true;
  if (end - start > MOST_BYTES_OF_SHORT_STRING) return false;
  let units = 0;
  for (let at = start; at < end && units <= LONGEST_SHORT_STRING; at++) {
    const byte = json[at] ?? 0;
    if (byte === BACKSLASH) at += json[at + 1] === LETTER_U ? 5 : 1;
    // The first byte of a character counts, and that of four bytes twice: it becomes two code units.
    if (byte < 0x80 || byte >= 0xc0) units += byte >= 0xf0 ? 2 : 1;
  }
  return units <= LONGEST_SHORT_STRING;
}

/** Distinguishes common texts from rare ones by a hash of each. On a collision a rare text may count as common. */
class CommonTexts {
  /** 32 KiB, which most texts do not need: a line of an import, or the spans of a small request. */
  #bits: Uint8Array | undefined;
  /** Random, so that a sender cannot choose texts whose hashes collide. */
  readonly #seed = Math.trunc(Math.random() * 2 ** 32);
  #count = 0;

  /** True if a text is not among the first {@link COMMON_TEXTS} distinct ones. */
  isRare(json: Uint8Array, words: DataView, start: number, end: number): boolean {
    let hash = this.#seed;
    let at = start;
    for (const lastWord = end - 4; at <= lastWord; at += 4) hash = mix(hash, words.getInt32(at));
    for (; at < end; at++) hash = mix(hash, json[at] ?? 0);
    const bit = hash & (TEXT_BITS - 1);
    const mask = 1 << (bit & 7);
    const bits = (this.#bits ??= new Uint8Array(TEXT_BITS / 8));
    const common = bits[bit >>> 3] ?? 0;
    if ((common & mask) !== 0) return false;
    if (this.#count >= COMMON_TEXTS) return true;
    bits[bit >>> 3] = common | mask;
    this.#count++;
    return false;
  }
}

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
