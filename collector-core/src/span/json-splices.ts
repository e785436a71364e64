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

/** JSON that takes the place of a part of other JSON. */
export interface JsonSplice {
  readonly start: number;
  /** Behind the last byte of what it replaces. */
  readonly end: number;
  readonly text: string;
  /** Of `text`, in UTF-8. */
  readonly byteLength: number;
}

/**
 * Finds out what to replace in the bytes of some JSON, so that they say what became of it: a redacted span needs to be
 * written anew only where a text of it changed. Numbers stay as they were sent, and so does all that is not replaced.
 *
 * It walks through both side by side, and goes into a value only where something in it changed. The keys need not be
 * read: the parser keeps their order, but for keys that are numbers; and where one comes twice, the bytes have more of
 * them than the value.
 *
 * @param json - UTF-8 that JSON.parse has accepted.
 * @param start - where the value begins in it.
 * @param before - what JSON.parse made of it.
 * @param after - what it became. What is the same in both has not changed.
 * @returns in the order of the bytes; or undefined where an object that changes has a key twice, or one that is a number,
 * which the parser puts first.
 */
export function findSplices(
  json: Uint8Array,
  start: number,
  before: unknown,
  after: unknown,
): JsonSplice[] | undefined {
  const finder = new SpliceFinder(json, wordsOf(json));
  return finder.readValue(start, before, after) === GAVE_UP ? undefined : finder.splices;
}

/** The same of all spans in the bytes of a batch. */
export function findBatchSplices(
  json: Uint8Array,
  before: readonly unknown[],
  after: readonly unknown[],
): JsonSplice[] | undefined {
  const words = wordsOf(json);
  const finder = new SpliceFinder(json, words);
  const isRead = readSpans(json, words, (opened) => {
    const end = finder.readValue(opened, before, after);
    return end === GAVE_UP ? undefined : end;
  });
  return isRead ? finder.splices : undefined;
}

const GAVE_UP = -1;

/** What does not stand in the bytes of JSON as it is, in one byte: most texts have none of it. */
const NEEDS_ESCAPE = /[^ !#-[\]-~]/;

type JsonObject = Readonly<Record<string, unknown>>;

/** Each step returns where it ended, or {@link GAVE_UP}. */
class SpliceFinder {
  readonly splices: JsonSplice[] = [];

  constructor(
    private readonly json: Uint8Array,
    private readonly words: DataView,
  ) {}

  readValue(start: number, before: unknown, after: unknown): number {
    if (before === after) return valueEnd(this.json, this.words, start);
    const first = this.json[start];
    if (Array.isArray(before)) {
      if (first === OPEN_BRACKET && Array.isArray(after) && before.length === after.length)
        return this.#readArray(start, before, after);
    } else if (first === OPEN_BRACE && isObject(before) && isObject(after)) {
      const keys = Object.keys(before);
      // Before anything inside is looked at: it would be for nothing, at each depth again.
      if (areKeysOf(after, keys)) return this.#readObject(start, before, after);
    }
    return this.#replace(start, after);
  }

  /** @param after - has the same keys in the same order. */
  #readObject(start: number, before: JsonObject, after: JsonObject): number {
    const { json, words } = this;
    let at = start;
    let index = 0;
    // A loop over the keys of an object reads its values several times as fast as one over an array of keys.
    for (const key in after) {
      if (isNumeric(key)) return GAVE_UP;
      at = this.#nextElement(at, index++);
      if (json[at] !== QUOTE) return GAVE_UP;
      const colon = skipSpace(json, closingQuote(json, words, at) + 1);
      at = this.readValue(skipSpace(json, colon + 1), before[key], after[key]);
      if (at === GAVE_UP) return GAVE_UP;
    }
    return this.#endOf(at, CLOSE_BRACE);
  }

  #readArray(start: number, before: readonly unknown[], after: readonly unknown[]): number {
    let at = start;
    for (let index = 0; index < before.length; index++) {
      at = this.#nextElement(at, index);
      if (at !== GAVE_UP) at = this.readValue(at, before[index], after[index]);
      if (at === GAVE_UP) return GAVE_UP;
    }
    return this.#endOf(at, CLOSE_BRACKET);
  }

  /** @param at - the bracket that opens, before the first element; the end of the last one before any other. */
  #nextElement(at: number, index: number): number {
    const { json } = this;
    const before = index === 0 ? at : skipSpace(json, at);
    if (index > 0 && json[before] !== COMMA) return GAVE_UP;
    const element = skipSpace(json, before + 1);
    return json[element] === CLOSE_BRACKET ? GAVE_UP : element;
  }

  /** Where the first value of a key that comes twice is not the last, its elements may be more or fewer. */
  #endOf(at: number, closing: number): number {
    const end = skipSpace(this.json, at);
    return this.json[end] === closing ? end + 1 : GAVE_UP;
  }

  #replace(start: number, after: unknown): number {
    const end = valueEnd(this.json, this.words, start);
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

/** True where an object has these keys in this order. */
function areKeysOf(object: JsonObject, keys: readonly string[]): boolean {
  let index = 0;
  for (const key in object) if (key !== keys[index++]) return false;
  return index === keys.length;
}

/** True for a key that the parser may have put before others. */
function isNumeric(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}

/** A part of some JSON, and what is to be replaced in it. */
export interface SplicedJson {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** In the order of the bytes. */
  readonly splices: readonly JsonSplice[];
}

/** Length in bytes when the splices have been put in. */
export function splicedLength({ start, end, splices }: SplicedJson): number {
  let length = end - start;
  for (const splice of splices) length += splice.byteLength - (splice.end - splice.start);
  return length;
}

/** Copies the JSON with the splices in their places. */
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
