/**
 * Word boundaries. Spans often contain JSON within a string, where `\n4111…` is a line break and a number: the letter
 * of an escape does not belong to the next word. A non-ASCII letter also ends a word, because Chinese or Japanese
 * text has no space before a number.
 */

const BACKSLASH = 0x5c;

/** Regular expression for the end of a number: no word character and no further digit group follows. */
export const NUMBER_END = String.raw`(?!\w|[-./]\d)`;

/** True when a number can begin at `at`, and is not the continuation of a longer number after `-`, `.` or `/`. */
export function startsNumber(text: string, at: number): boolean {
  if (!startsWord(text, at)) return false;
  const before = text[at - 1] ?? "";
  return !(before === "-" || before === "." || before === "/") || !isDigit(text.charCodeAt(at - 2));
}

/** True when a word can begin at `at`. */
export function startsWord(text: string, at: number): boolean {
  return at === 0 || !isWordCharacter(text.charCodeAt(at - 1)) || escapeLengthBefore(text, at) > 0;
}

/** True when a word can end before `at`. */
export function endsWord(text: string, at: number): boolean {
  return at >= text.length || !isWordCharacter(text.charCodeAt(at));
}

/** Returns the length of the JSON escape (`\n`, `\u00e9`) that ends before `at`; 0 without an escape. */
export function escapeLengthBefore(text: string, at: number): number {
  if (text.charCodeAt(at - 2) === BACKSLASH && "nrtbf".includes(text[at - 1] ?? "")) return 2;
  if (
    text.charCodeAt(at - 6) === BACKSLASH &&
    text[at - 5] === "u" &&
    /^[\da-f]{4}$/i.test(text.slice(at - 4, at))
  )
    return 6;
  return 0;
}

/** True for an ASCII letter, an ASCII digit or an underscore. */
export function isWordCharacter(code: number): boolean {
  return isDigit(code) || isLetter(code) || code === 0x5f;
}

/** True for an ASCII letter. */
export function isLetter(code: number): boolean {
  return isCapital(code & ~0x20);
}

/** True for an ASCII capital letter. */
export function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

/** True for an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
