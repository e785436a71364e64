/**
 * Maps digits of other scripts, full-width forms, and typographic dashes and spaces, which models often write, to
 * ASCII. The mapping is one to one, so that matches have the same positions in both texts.
 */

/** The first of ten digits, by script: Arabic, Persian, Devanagari, Bengali, Thai, full-width. */
const DIGIT_ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10];
const DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d";
const SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000";
const OTHERS: readonly (readonly [string, string])[] = [
  ["\uff20", "@"],
  ["\uff0b", "+"],
  ["\uff0e", "."],
  ["\uff1a", ":"],
  ["\uff1d", "="],
];

const PLAIN = new Map<string, string>([
  ...DIGIT_ZEROS.flatMap((zero) =>
    Array.from({ length: 10 }, (_, digit) => [String.fromCharCode(zero + digit), String(digit)] as const),
  ),
  ...Array.from(DASHES, (dash) => [dash, "-"] as const),
  ...Array.from(SPACES, (space) => [space, " "] as const),
  ...OTHERS,
]);
/** The characters that {@link plainCharacters} replaces, for a character class of a regular expression. */
export const NOT_PLAIN = Array.from(PLAIN.keys()).join("");
const TO_PLAIN = new RegExp(`[${NOT_PLAIN}]`, "g");

/** Replaces variants by ASCII characters. The result has the same length. */
export function plainCharacters(text: string): string {
  return text.replace(TO_PLAIN, (character) => PLAIN.get(character) ?? character);
}
