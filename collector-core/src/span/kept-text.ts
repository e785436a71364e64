/** V8 copies substrings shorter than this. A longer substring is a slice that retains its parent string. */
const SHORTEST_SLICE = 13;

/**
 * Copies a text to its own memory. A substring from `slice`, `trim`, `split` or a regular expression retains the whole
 * parent string: 20 characters can hold 10 MB.
 */
export function copyText(text: string): string {
  // UTF-16 keeps lone surrogates, which UTF-8 would replace.
  return text.length < SHORTEST_SLICE ? text : Buffer.from(text, "utf16le").toString("utf16le");
}

/** Cuts a text after `max` code points, never in the middle of a surrogate pair. The result is a copy. */
export function truncateCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let points = 0; points < max && end < text.length; points++) {
    const unit = text.charCodeAt(end);
    const isPair = unit >= 0xd800 && unit <= 0xdbff && end + 1 < text.length;
    end += isPair ? 2 : 1;
  }
  return end === text.length ? text : copyText(text.slice(0, end));
}

/** Copies at most `max` code points of a text to their own memory. */
export function keptText(text: string, max: number): string {
  const cut = truncateCodePoints(text, max);
  return cut.length < text.length ? cut : copyText(text);
}
