import { foldsInto, partialFoldings } from "./case-folding.js";

/** What JSON writes, or may write, as a backslash and a letter. */
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "/": "\\/",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
/** ASCII that has no escape of its own: a run of it is what a text is looked for by. */
const PLAIN_RUN = /[ -~]+/g;
/** A shorter run is in every second text: then all kinds of characters are looked for. */
const MIN_PLAIN_RUN = 3;
/** A part of the text is enough to find where to look closer. */
const MAX_PART = 32;
/** Two escapes of six bytes, of a character beyond the first plane: no spelling of a character is longer. */
const MAX_SPELLING_BYTES = 12;
/** Bytes of the longest match. */
export const MAX_MATCH_BYTES = MAX_PART * MAX_SPELLING_BYTES;

/**
 * A pattern that finds any of some texts in the bytes of JSON, read as Latin-1, in any letter case and however they are
 * escaped there. It may find what is not there, never the opposite: keys too, see `JsonTextSearch`. A hundred megabytes
 * take less than a tenth of a second.
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

  // Rare: ASCII that is escaped without need, and characters that become some of the part when their case is folded.
  const rare = new Set(partialFoldings(part.join("")).flatMap(spellingsBeyondAscii));
  for (const character of part.filter(isAscii)) {
    rare.add(unicodeEscape(character)).add(unicodeEscape(character.toLowerCase()));
    for (const spelling of foldsInto(character).flatMap(spellingsBeyondAscii)) rare.add(spelling);
  }
  return [main, ...[...rare].map(quote)];
}

/** Finds one character, as it is commonly written. */
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
  const short = SHORT_ESCAPES[character];
  // JSON cannot write these as they are.
  const mustEscape = character < " " || character === '"' || character === "\\";
  if (!mustEscape) return short === undefined ? [character] : [character, short];
  return short === undefined ? [unicodeEscape(character)] : [short];
}

/** The bytes of UTF-8, each as a character of Latin-1; or escaped, as many writers do. */
function spellingsBeyondAscii(character: string): string[] {
  return [Buffer.from(character).toString("latin1"), unicodeEscape(character)];
}

/** `\u00fc`; of characters beyond the first plane, both halves. */
function unicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** As it stands, in a regular expression. */
function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
