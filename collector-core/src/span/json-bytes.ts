/**
 * Steps through the bytes of JSON. But for {@link closingQuoteOrEnd}, JSON.parse must have accepted them: nothing is checked
 * again here.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** The same bytes, for the functions that look at four at once. */
export function wordsOf(json: Uint8Array): DataView {
  return new DataView(json.buffer, json.byteOffset, json.byteLength);
}

/** Where the string ends whose opening quote is at `opened`. Most bytes of a batch stand in strings: four at a time. */
export function closingQuote(json: Uint8Array, words: DataView, opened: number): number {
  const lastWord = json.length - 4;
  let at = opened + 1;
  for (;;) {
    while (at <= lastWord && !hasQuoteOrBackslash(words.getInt32(at))) at += 4;
    while (json[at] !== QUOTE && json[at] !== BACKSLASH) at++;
    if (json[at] === QUOTE) return at;
    at += 2;
  }
}

/**
 * As {@link closingQuote}, for bytes that need not be JSON: the length of the text where the string has no end.
 */
export function closingQuoteOrEnd(json: Uint8Array, words: DataView, opened: number): number {
  const { length } = json;
  const lastWord = length - 4;
  let at = opened + 1;
  while (at < length) {
    while (at <= lastWord && !hasQuoteOrBackslash(words.getInt32(at))) at += 4;
    while (at < length && json[at] !== QUOTE && json[at] !== BACKSLASH) at++;
    if (at >= length) return length;
    if (json[at] === QUOTE) return at;
    at += 2;
  }
  return length;
}

/** Looks at four bytes at once: the top bit of a byte of `(x - 1) & ~x` is set where the byte is zero. */
function hasQuoteOrBackslash(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const zeros = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return (zeros & 0x80808080) !== 0;
}

/** Where the next byte is that is no white space. */
export function skipSpace(json: Uint8Array, from: number): number {
  let at = from;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at++;
  return at;
}

/** Behind the value that begins at `from`. */
export function valueEnd(json: Uint8Array, words: DataView, from: number): number {
  const first = json[from];
  if (first === QUOTE) return closingQuote(json, words, from) + 1;
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return containerEnd(json, words, from);
  let at = from + 1;
  while (isInLiteral(json[at])) at++;
  return at;
}

function containerEnd(json: Uint8Array, words: DataView, from: number): number {
  let depth = 0;
  for (let at = from; ; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = closingQuote(json, words, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
}

/** A byte of a number, of `true`, `false` or `null`. */
function isInLiteral(byte: number | undefined): boolean {
  return (
    byte !== undefined && byte > 0x20 && byte !== COMMA && byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET
  );
}
