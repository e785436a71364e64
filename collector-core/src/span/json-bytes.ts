/**
 * Functions that scan the bytes of JSON. Except for {@link closingQuoteOrEnd}, they require JSON that JSON.parse has
 * accepted.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** A view of the bytes for functions that read four at a time. */
export function wordsOf(json: Uint8Array): DataView {
  return new DataView(json.buffer, json.byteOffset, json.byteLength);
}

/** Position of the closing quote of the string that opens at `opened`. Reads four bytes at a time. */
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
 * Like {@link closingQuote}, for bytes that need not be JSON. Returns the length of the bytes if the string has no end.
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

/** Tests four bytes at once: the top bit of a byte of `(x - 1) & ~x` is set where the byte is zero. */
function hasQuoteOrBackslash(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const zeros = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return (zeros & 0x80808080) !== 0;
}

/** Position of the next byte that is not white space. */
export function skipSpace(json: Uint8Array, from: number): number {
  let at = from;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at++;
  return at;
}

/** End of the value that starts at `from`. */
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
