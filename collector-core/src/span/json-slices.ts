const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** `"spans"` with its quotes. */
const SPANS_KEY = Buffer.from('"spans"');

/**
 * Finds where each element of the top-level `spans` array stands in the bytes of a batch, so that the store can keep
 * a span as it came instead of writing it anew (docs/performance.md).
 *
 * @param json - UTF-8 JSON that JSON.parse has accepted: nothing is checked again here.
 * @param count - how many elements JSON.parse found.
 * @returns start and end (exclusive) of each element in turn, or undefined where the bytes do not tell it plainly:
 * `spans` given twice, or written with escapes.
 */
export function findSpanSlices(json: Uint8Array, count: number): Int32Array | undefined {
  const slices = new Int32Array(count * 2);
  let found = 0;
  let depth = 0;
  let inSpans = false;
  let spansSeen = 0;
  const length = json.length;

  for (let at = 0; at < length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      const opened = at;
      let escaped = false;
      for (at++; json[at] !== QUOTE; at++) {
        if (json[at] === BACKSLASH) {
          escaped = true;
          at++;
        }
      }
      if (depth === 1) {
        // An escaped key may spell `spans` too, and then the last one counts: leave that to JSON.parse.
        if (escaped && isKey(json, at)) return undefined;
        inSpans = isSpansKey(json, opened, at);
        if (inSpans) spansSeen++;
      }
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++;
      if (depth === 3 && inSpans) {
        if (found === count) return undefined;
        slices[found * 2] = at;
      }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 3 && inSpans) {
        slices[found * 2 + 1] = at + 1;
        found++;
      }
      depth--;
    }
  }
  return found === count && spansSeen === 1 ? slices : undefined;
}

/** True where the string at `opened`..`closed` is the key `spans`. */
function isSpansKey(json: Uint8Array, opened: number, closed: number): boolean {
  if (closed - opened + 1 !== SPANS_KEY.length) return false;
  for (let index = 0; index < SPANS_KEY.length; index++) {
    if (json[opened + index] !== SPANS_KEY[index]) return false;
  }
  return isKey(json, closed);
}

/** True where a colon follows the string that ends at `closed`: a key, not a value. */
function isKey(json: Uint8Array, closed: number): boolean {
  let after = closed + 1;
  while (json[after] === 0x20 || json[after] === 0x0a || json[after] === 0x0d || json[after] === 0x09)
    after++;
  return json[after] === 0x3a;
}
