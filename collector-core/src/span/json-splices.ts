import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuote,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  valueEnd,
  wordsOf,
} from "./json-bytes.js";
import { readSpans } from "./json-slices.js";

/** JSON that replaces a byte range of other JSON. */
export interface JsonSplice {
  readonly start: number;
  /** End of the replaced range, exclusive. */
  readonly end: number;
  readonly text: string;
  /** UTF-8 length of `text`. */
  readonly byteLength: number;
}

/**
 * Finds the replacements that turn the bytes of `before` into JSON of `after`. Only the changed strings of a redacted
 * span are serialized again. All other bytes, including the spelling of numbers, are unchanged.
 *
 * It walks the bytes and both values in parallel, and descends only into changed values. It does not decode keys, since
 * the parser preserves their order, except for numeric keys. An object with a duplicate key has more keys in its bytes
 * than in its value.
 *
 * @param json - UTF-8 JSON that JSON.parse has accepted.
 * @param start - the start of the value.
 * @param before - the value parsed from the bytes.
 * @param after - the changed value. Parts that are identical (`===`) to `before` are unchanged.
 * @returns the replacements in byte order. Undefined if a changed object has a duplicate key or a numeric key, which the
 * parser moves to the front.
 */
export function findSplices(
  json: Uint8Array,
  start: number,
  before: unknown,
  after: unknown,
): JsonSplice[] | undefined {
  const words = wordsOf(json);
  const finder = new SpliceFinder(json, words, () => valueEnd(json, words, start) - start);
  return finder.readValue(start, before, after) === GAVE_UP ? undefined : finder.splices;
}

/** Like {@link findSplices}, for all spans in the bytes of a batch. */
export function findBatchSplices(
  json: Uint8Array,
  before: readonly unknown[],
  after: readonly unknown[],
): JsonSplice[] | undefined {
  const words = wordsOf(json);
  const finder = new SpliceFinder(json, words, () => json.length);
  const isRead = readSpans(json, words, (opened) => {
    const end = finder.readValue(opened, before, after);
    return end === GAVE_UP ? undefined : end;
  });
  return isRead ? finder.splices : undefined;
}

const GAVE_UP = -1;

/**
 * Replacements of any JSON, and JSON bytes for each further one. They are found and copied in one turn of the event loop, for all
 * spans of a lease, and lists under the key of a secret can have two million of them in 10 MB. Beyond the limit, changed lists and
 * objects are serialized whole, their unchanged numbers too.
 */
const MIN_SPLICES = 1000;
const BYTES_PER_SPLICE = 50;

/** Characters that JSON escapes or UTF-8 encodes in several bytes. Most strings have none. */
const NEEDS_ESCAPE = /[^ !#-[\]-~]/;

type JsonObject = Readonly<Record<string, unknown>>;

/** Each method returns the end of the value, or {@link GAVE_UP}. */
class SpliceFinder {
  readonly splices: JsonSplice[] = [];

  readonly #json: Uint8Array;
  readonly #words: DataView;
  readonly #measure: () => number;
  #maxSplices: number | undefined;

  /** @param measure - returns the bytes of the JSON whose parts are replaced. Called only for many replacements. */
  constructor(json: Uint8Array, words: DataView, measure: () => number) {
    this.#json = json;
    this.#words = words;
    this.#measure = measure;
  }

  readValue(start: number, before: unknown, after: unknown): number {
    if (before === after) return valueEnd(this.#json, this.#words, start);
    const first = this.#json[start];
    if (Array.isArray(before)) {
      if (first === OPEN_BRACKET && Array.isArray(after) && before.length === after.length)
        return this.#readArray(start, before, after);
    } else if (first === OPEN_BRACE && isObject(before) && isObject(after)) {
      const keys = Object.keys(before);
      // Compare keys before descending, to avoid wasted work at each depth.
      if (areKeysOf(after, keys)) return this.#readObject(start, before, after);
    }
    return this.#replace(start, after);
  }

  /** @param after - an object with the same keys in the same order. */
  #readObject(start: number, before: JsonObject, after: JsonObject): number {
    const json = this.#json;
    const words = this.#words;
    const splicesBefore = this.splices.length;
    let at = start;
    let index = 0;
    // for-in reads the values of an object several times faster than a loop over an array of keys.
    for (const key in after) {
      if (isNumeric(key)) return GAVE_UP;
      at = this.#nextElement(at, index++);
      if (json[at] !== QUOTE) return GAVE_UP;
      const colon = skipSpace(json, closingQuote(json, words, at) + 1);
      at = this.readValue(skipSpace(json, colon + 1), before[key], after[key]);
      if (at === GAVE_UP) return GAVE_UP;
      if (this.#hasTooMany()) return this.#replaceWhole(start, after, splicesBefore);
    }
    return this.#endOf(at, CLOSE_BRACE);
  }

  #readArray(start: number, before: readonly unknown[], after: readonly unknown[]): number {
    const splicesBefore = this.splices.length;
    let at = start;
    for (let index = 0; index < before.length; index++) {
      at = this.#nextElement(at, index);
      if (at !== GAVE_UP) at = this.readValue(at, before[index], after[index]);
      if (at === GAVE_UP) return GAVE_UP;
      if (this.#hasTooMany()) return this.#replaceWhole(start, after, splicesBefore);
    }
    return this.#endOf(at, CLOSE_BRACKET);
  }

  /** @param at - the opening bracket for the first element, otherwise the end of the previous element. */
  #nextElement(at: number, index: number): number {
    const json = this.#json;
    const before = index === 0 ? at : skipSpace(json, at);
    if (index > 0 && json[before] !== COMMA) return GAVE_UP;
    const element = skipSpace(json, before + 1);
    return json[element] === CLOSE_BRACKET ? GAVE_UP : element;
  }

  /** Gives up if the container has further elements, as after a duplicate key. */
  #endOf(at: number, closing: number): number {
    const end = skipSpace(this.#json, at);
    return this.#json[end] === closing ? end + 1 : GAVE_UP;
  }

  #hasTooMany(): boolean {
    if (this.splices.length <= MIN_SPLICES) return false;
    this.#maxSplices ??= Math.max(MIN_SPLICES, this.#measure() / BYTES_PER_SPLICE);
    return this.splices.length > this.#maxSplices;
  }

  /** Replaces a list or an object instead of its parts, whose replacements are dropped. */
  #replaceWhole(start: number, after: unknown, splicesBefore: number): number {
    this.splices.length = splicesBefore;
    return this.#replace(start, after);
  }

  #replace(start: number, after: unknown): number {
    const end = valueEnd(this.#json, this.#words, start);
    if (typeof after === "string" && !NEEDS_ESCAPE.test(after)) {
      this.splices.push({ start, end, text: `"${after}"`, byteLength: after.length + 2 });
      return end;
    }
    const text = JSON.stringify(after) as string | undefined;
    if (text === undefined) return GAVE_UP;
    this.splices.push({ start, end, text, byteLength: Buffer.byteLength(text) });
    return end;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True if an object has these keys in this order. */
function areKeysOf(object: JsonObject, keys: readonly string[]): boolean {
  let index = 0;
  for (const key in object) if (key !== keys[index++]) return false;
  return index === keys.length;
}

/** True for a key that the parser may have moved to the front. */
function isNumeric(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}

/** A byte range of JSON with replacements. */
export interface SplicedJson {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** In byte order. */
  readonly splices: readonly JsonSplice[];
}

/** Length in bytes after the replacements. */
export function splicedLength({ start, end, splices }: SplicedJson): number {
  let length = end - start;
  for (const splice of splices) length += splice.byteLength - (splice.end - splice.start);
  return length;
}

/** Copies the JSON with its replacements to `target`. */
export function copySpliced(
  { bytes, start, end, splices }: SplicedJson,
  target: Buffer,
  targetStart: number,
): void {
  let from = start;
  let at = targetStart;
  for (const splice of splices) {
    at += bytes.copy(target, at, from, splice.start);
    at += target.write(splice.text, at);
    from = splice.end;
  }
  bytes.copy(target, at, from, end);
}
