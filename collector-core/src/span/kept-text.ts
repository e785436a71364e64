/** V8 copies a part of a text that is shorter than this. A longer part refers to the text that it was cut from. */
const SHORTEST_SLICE = 13;

/**
 * The same text in memory of its own. A part that was cut from a text, by `slice`, `trim`, `split` or a regular
 * expression, keeps the whole text in memory for as long as the part lives: 20 characters can hold 10 MB.
 */
export function copyText(text: string): string {
  // UTF-16 carries lone surrogates too, which UTF-8 would replace.
  return text.length < SHORTEST_SLICE ? text : Buffer.from(text, "utf16le").toString("utf16le");
}

/** Cuts a text after `max` code points, never in the middle of a surrogate pair. What was cut is a copy. */
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

/** What is kept of a text: at most `max` code points, in memory of their own. What is cut off is not copied. */
export function keptText(text: string, max: number): string {
  const cut = truncateCodePoints(text, max);
  return cut.length < text.length ? cut : copyText(text);
}
