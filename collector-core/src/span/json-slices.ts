import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuote,
  COLON,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  wordsOf,
} from "./json-bytes.js";

/** `"spans"` with its quotes. */
const SPANS_KEY = Buffer.from('"spans"');

/**
 * Finds the elements of the top-level `spans` array in the bytes of a batch, so that the store can keep received bytes
 * instead of serializing spans (docs/performance.md).
 *
 * @param json - UTF-8 JSON that JSON.parse has accepted.
 * @param count - the number of elements in the parsed array.
 * @returns start and end (exclusive) of each element, or undefined if the array cannot be located with certainty: the key
 * `spans` is repeated or written with escapes.
 */
export function findSpanSlices(json: Uint8Array, count: number): Int32Array | undefined {
  const words = wordsOf(json);
  const slices = new Int32Array(count * 2);
  return readSpans(json, words, (opened) => readElements(json, words, opened, slices)) ? slices : undefined;
}

/**
 * Finds the top-level `spans` array of a batch.
 *
 * @param readArray - called with the position of the opening bracket; returns the end of the array, or undefined to give up.
 * @returns false if `readArray` gave up, or if the key `spans` is repeated or written with escapes.
 */
export function readSpans(
  json: Uint8Array,
  words: DataView,
  readArray: (opened: number) => number | undefined,
): boolean {
  let isRead = false;
  let depth = 0;
  let inSpans = false;

  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      const opened = at;
      at = closingQuote(json, words, opened);
      if (depth !== 1) continue;
      // An escaped key may spell `spans` too, and JSON.parse uses the last one.
      if (isKey(json, at) && json.subarray(opened, at).includes(BACKSLASH)) return false;
      inSpans = isSpansKey(json, opened, at);
    } else if (byte === OPEN_BRACKET && depth === 1 && inSpans) {
      if (isRead) return false;
      const end = readArray(at);
      if (end === undefined) return false;
      at = end - 1;
      isRead = true;
      inSpans = false;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
  }
  return isRead;
}

/**
 * Fills `slices` with the elements of the array that opens at `opened`. The elements are objects, so only braces are
 * counted within them.
 *
 * @returns the end of the array, or undefined if the number of elements does not match `slices`.
 */
function readElements(
  json: Uint8Array,
  words: DataView,
  opened: number,
  slices: Int32Array,
): number | undefined {
  let filled = 0;
  let depth = 0;
  for (let at = opened + 1; ; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = closingQuote(json, words, at);
    else if (byte === OPEN_BRACE) {
      if (depth === 0) slices[filled++] = at;
      depth++;
    } else if (byte === CLOSE_BRACE) {
      depth--;
      if (depth === 0) slices[filled++] = at + 1;
    } else if (byte === CLOSE_BRACKET && depth === 0) {
      return filled === slices.length ? at + 1 : undefined;
    }
  }
}

/** True if the string at `opened`..`closed` is the key `spans`. */
function isSpansKey(json: Uint8Array, opened: number, closed: number): boolean {
  if (closed - opened + 1 !== SPANS_KEY.length) return false;
  for (let index = 0; index < SPANS_KEY.length; index++) {
    if (json[opened + index] !== SPANS_KEY[index]) return false;
  }
  return isKey(json, closed);
}

/** True if a colon follows the string that ends at `closed`: a key, not a value. */
function isKey(json: Uint8Array, closed: number): boolean {
  return json[skipSpace(json, closed + 1)] === COLON;
}
