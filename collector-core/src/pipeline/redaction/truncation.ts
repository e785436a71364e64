import { CONTEXT_LENGTH } from "./keywords.js";
import { REPLACEMENT_TAG, type TextMatch } from "./pattern.js";

/** Distance around the cut within which matches are searched, and the maximum extra text to drop. */
export const REACH = 256;

/** Characters of keys and tokens. */
const TOKEN_CHARACTER = /[\w\-+/=.@:%~!$#&*^]/;

/** Returns the matches of all patterns in a part of a text. */
export type FindMatches = (part: string) => readonly TextMatch[];

/**
 * Truncates a text to `maxLength` characters (spec 4.9 rule 4) without leaving half of a secret: also drops up to
 * {@link REACH} more characters of a match or token that the cut would split.
 *
 * @param maxLength - in code points.
 */
export function truncateText(text: string, maxLength: number, findMatches: FindMatches): string {
  if (text.length <= maxLength) return text;
  const limit = codePointsEnd(text, maxLength);
  if (limit === text.length) return text;
  return text.slice(0, safeCut(text, limit, findMatches));
}

/** Returns the end of the first `count` code points. */
function codePointsEnd(text: string, count: number): number {
  let end = 0;
  for (let points = 0; points < count && end < text.length; points++) end += isPair(text, end) ? 2 : 1;
  return end;
}

function isPair(text: string, at: number): boolean {
  return isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1));
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function safeCut(text: string, limit: number, findMatches: FindMatches): number {
  const earliest = Math.max(0, limit - REACH);
  const windowStart = Math.max(0, earliest - CONTEXT_LENGTH);
  const window = text.slice(windowStart, limit + REACH);
  const spans = findMatches(window)
    .concat(
      Array.from(window.matchAll(REPLACEMENT_TAG), ({ 0: tag, index }) => ({
        start: index,
        end: index + tag.length,
      })),
    )
    .map(({ start, end }) => ({ start: windowStart + start, end: windowStart + end }));

  let cut = limit;
  for (let before = -1; before !== cut && cut > earliest;) {
    before = cut;
    for (const { start, end } of spans) if (start < cut && cut < end) cut = start;
    while (cut > earliest && splitsToken(text, cut)) cut--;
  }
  cut = Math.max(cut, earliest);
  return cut > 0 && isPair(text, cut - 1) ? cut - 1 : cut;
}

function splitsToken(text: string, cut: number): boolean {
  return TOKEN_CHARACTER.test(text[cut] ?? "") && TOKEN_CHARACTER.test(text[cut - 1] ?? "");
}
