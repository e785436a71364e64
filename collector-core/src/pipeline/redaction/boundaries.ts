/**
 * Where a word begins and ends. Much text in spans is JSON in a string, where `\n4111…` is a line break and a number
 * and no word: the letter of an escape is no part of what follows it. Letters beyond ASCII end a word too, since
 * Chinese or Japanese text puts no space before a number.
 */

const BACKSLASH = 0x5c;

/** No letter, digit or underscore behind, and no further part of a number. For regular expressions. */
export const NUMBER_END = String.raw`(?!\w|[-./]\d)`;

/** True where a number can begin at `at` that is no part of a longer one: `-`, `.` or `/` and a digit before. */
export function startsNumber(text: string, at: number): boolean {
  if (!startsWord(text, at)) return false;
  const before = text[at - 1] ?? "";
  return !(before === "-" || before === "." || before === "/") || !isDigit(text.charCodeAt(at - 2));
}

/** True where a word can begin at `at`. */
export function startsWord(text: string, at: number): boolean {
  return at === 0 || !isWordCharacter(text.charCodeAt(at - 1)) || escapeLengthBefore(text, at) > 0;
}

/** True where a word can end before `at`. */
export function endsWord(text: string, at: number): boolean {
  return at >= text.length || !isWordCharacter(text.charCodeAt(at));
}

/** Length of the escape of JSON (`\n`, `\u00e9`) that ends before `at`; 0 where there is none. */
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

/** A letter or digit of ASCII, or an underscore. */
export function isWordCharacter(code: number): boolean {
  return isDigit(code) || isLetter(code) || code === 0x5f;
}

/** A letter of ASCII. */
export function isLetter(code: number): boolean {
  return isCapital(code & ~0x20);
}

/** A capital letter of ASCII. */
export function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

/** A digit of ASCII. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
