import { foldsInto, partialFoldings } from "./case-folding.js";

/** The short escapes of JSON. */
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '"': '\\"',
    "\\": "\\\\",
    "/": "\\/",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
  }),
);
/** Printable ASCII: the pattern looks for one run of it. */
const PLAIN_RUN = /[ -~]+/g;
/** A shorter run matches almost everywhere; the pattern then looks for all characters of the text. */
const MIN_PLAIN_RUN = 3;
/** Characters that the pattern looks for. Matches are verified against the whole text later. */
const MAX_PART = 32;
/** The longest spelling of a character: two escapes of six bytes, for a character beyond the first plane. */
const MAX_SPELLING_BYTES = 12;
/** Bytes of the longest match. */
export const MAX_MATCH_BYTES = MAX_PART * MAX_SPELLING_BYTES;

/**
 * A pattern that finds any of the texts in the bytes of JSON, decoded as Latin-1, in any letter case and with any
 * escapes. It may return false positives (it also matches keys, see `JsonTextSearch`), never false negatives. Searching a hundred
 * megabytes takes less than a tenth of a second.
 *
 * @param foldedTexts - see `foldCase`; none empty.
 */
export function jsonTextPattern(foldedTexts: readonly string[]): RegExp {
  return new RegExp([...new Set(foldedTexts.flatMap(patternsOfText))].join("|"), "gi");
}

function patternsOfText(foldedText: string): string[] {
  // eslint-disable-next-line obspan/no-uncopied-part -- of a query, for one search
  const runs = foldedText.split(/["\\/]/).flatMap((piece) => piece.match(PLAIN_RUN) ?? []);
  const longest = runs.reduce((a, b) => (b.length > a.length ? b : a), "");
  const part = Array.from(longest.length >= MIN_PLAIN_RUN ? longest : foldedText).slice(0, MAX_PART);
  const main = part.map(patternOf).join("");

  // Rare spellings: ASCII with needless escapes, and characters whose case folding overlaps the part.
  const rare = new Set(partialFoldings(part.join("")).flatMap(spellingsBeyondAscii));
  for (const character of part.filter(isAscii)) {
    rare.add(unicodeEscape(character)).add(unicodeEscape(character.toLowerCase()));
    for (const spelling of foldsInto(character).flatMap(spellingsBeyondAscii)) rare.add(spelling);
  }
  return [main, ...[...rare].map(quote)];
}

/** Matches the common spellings of one character. */
function patternOf(character: string): string {
  const spellings = isAscii(character)
    ? spellingsOfAscii(character)
    : [character, ...foldsInto(character)].flatMap(spellingsBeyondAscii);
  const [only = "", ...others] = spellings.map(quote);
  return others.length === 0 ? only : `(?:${[only, ...others].join("|")})`;
}

function isAscii(character: string): boolean {
  return character <= "\u007f";
}

function spellingsOfAscii(character: string): string[] {
  const short = SHORT_ESCAPES.get(character);
  // JSON requires an escape.
  const mustEscape = character < " " || character === '"' || character === "\\";
  if (!mustEscape) return short === undefined ? [character] : [character, short];
  return short === undefined ? [unicodeEscape(character)] : [short];
}

/** The UTF-8 bytes decoded as Latin-1, and the escape that many writers use. */
function spellingsBeyondAscii(character: string): string[] {
  return [Buffer.from(character).toString("latin1"), unicodeEscape(character)];
}

/** `\u00fc`; both surrogates of a character beyond the first plane. */
function unicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Escapes a text for a regular expression. */
function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
