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
  const words = new DataView(json.buffer, json.byteOffset, json.byteLength);
  let slices: Int32Array | undefined;
  let depth = 0;
  let inSpans = false;

  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      const opened = at;
      at = closingQuote(json, words, opened);
      if (depth !== 1) continue;
      // An escaped key may spell `spans` too, and then the last one counts: leave that to JSON.parse.
      if (isKey(json, at) && json.subarray(opened, at).includes(BACKSLASH)) return undefined;
      inSpans = isSpansKey(json, opened, at);
    } else if (byte === OPEN_BRACKET && depth === 1 && inSpans) {
      if (slices !== undefined) return undefined;
      slices = new Int32Array(count * 2);
      const closed = readElements(json, words, at, slices);
      if (closed === undefined) return undefined;
      at = closed;
      inSpans = false;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
  }
  return slices;
}

/**
 * Fills `slices` with where the elements of the array are that opens at `opened`. They are objects, so that brackets
 * need no counting within them.
 *
 * @returns where the array closes, or undefined where it has another number of elements than `slices` has room for.
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
      return filled === slices.length ? at : undefined;
    }
  }
}

/** Where the string ends whose opening quote is at `opened`. Most bytes of a batch stand in strings: four at a time. */
function closingQuote(json: Uint8Array, words: DataView, opened: number): number {
  const lastWord = words.byteLength - 4;
  let at = opened + 1;
  for (;;) {
    while (at <= lastWord && !hasQuoteOrBackslash(words.getInt32(at))) at += 4;
    while (json[at] !== QUOTE && json[at] !== BACKSLASH) at++;
    if (json[at] === QUOTE) return at;
    at += 2;
  }
}

/** Looks at four bytes at once: the top bit of a byte of `(x - 1) & ~x` is set where the byte is zero. */
function hasQuoteOrBackslash(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const zeros = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return (zeros & 0x80808080) !== 0;
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
