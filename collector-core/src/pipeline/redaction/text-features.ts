/**
 * What a text has in it. A pattern runs only where the features that it cannot do without are there, so that a text
 * without anything costs little more than to be looked at once.
 */

import { isDigit, isWordCharacter } from "./boundaries.js";
import { NOT_PLAIN } from "./plain-characters.js";

/** The features, each a bit. */
export const FEATURE = {
  /** `@`, or `%40`, as which it stands in a URL. */
  at: 1,
  /** What may end a name or begin a value: `:`, `=`, a digit, or a token. */
  value: 2,
  /** Sixteen or more characters of which keys and tokens are made. */
  token: 4,
  /** Nine or more letters and digits, both among them. */
  code: 8,
  /** Four numbers with dots between them. */
  dots: 16,
  /** Two colons with at most four hexadecimal digits between them. */
  colons: 32,
  /** Five dashes. */
  dashes: 64,
  /** `://`. */
  scheme: 128,
  /** A word that says what a number is: `ssn`, `phone`. */
  named: 256,
} as const;

/** What {@link textFeatures} found. */
export interface TextFeatures {
  /** A sum of bits of {@link FEATURE}. */
  readonly flags: number;
  /** The most digits that stand together with no more than separators between them. */
  readonly digits: number;
}

/** Whoever has none of these has nothing to redact; most prose does not. */
const NOTEWORTHY = new RegExp(String.raw`[\d@:=_${NOT_PLAIN}-]`);
/** The one form of a key that may have neither digit nor symbol. */
const NOTEWORTHY_WORDS = ["AKIA", "ASIA"];

/** True where nothing in the text can be a match of a built-in pattern: what {@link textFeatures} says, sooner. */
export function isPlainProse(text: string): boolean {
  return !NOTEWORTHY.test(text) && !NOTEWORTHY_WORDS.some((word) => text.indexOf(word) >= 0);
}

const DOTS = /\d\.\d{1,3}\.\d{1,3}\.\d/;
const COLONS = /:[\da-fA-F]{0,4}:/;
const ASSIGNMENT = /[:=]/;

/** Fewer digits are no number that has a name. */
const NAMED_DIGITS = 6;

/**
 * Looks at each character once for digits; the rest is found by searches that the engine does many at a time.
 *
 * @param keyword - any of the words that say what a number is.
 */
export function textFeatures(text: string, keyword: RegExp): TextFeatures {
  const { digits, hasCode } = readDigits(text);
  const hasToken = findsToken(text);
  let flags = 0;
  if (hasCode) flags |= FEATURE.code;
  if (hasToken) flags |= FEATURE.token;
  if (digits > 0 || hasToken || ASSIGNMENT.test(text)) flags |= FEATURE.value;
  if (text.indexOf("@") >= 0 || text.indexOf("%40") >= 0) flags |= FEATURE.at;
  if (digits > 3 && DOTS.test(text)) flags |= FEATURE.dots;
  if (text.indexOf(":") >= 0) {
    if (COLONS.test(text)) flags |= FEATURE.colons;
    if (text.indexOf("://") >= 0) flags |= FEATURE.scheme;
  }
  if (text.indexOf("-----") >= 0) flags |= FEATURE.dashes;
  if (digits >= NAMED_DIGITS && keyword.test(text)) flags |= FEATURE.named;
  return { flags, digits };
}

/** What stands between the groups of a number, and how many may in a row: `) - `. */
const SEPARATORS = new Set(Array.from("-./() \u00a0", (separator) => separator.charCodeAt(0)));
const MAX_SEPARATORS = 3;

function readDigits(text: string): { digits: number; hasCode: boolean } {
  let mostDigits = 0;
  let hasCode = false;
  let digits = 0;
  let previousEnd = -MAX_SEPARATORS - 1;
  for (let start = nextDigit(text, 0); start < text.length; start = nextDigit(text, previousEnd)) {
    const end = digitsEnd(text, start);
    digits = (areSeparators(text, previousEnd, start) ? digits : 0) + end - start;
    if (digits > mostDigits) mostDigits = digits;
    hasCode ||= isInCode(text, start, end);
    previousEnd = end;
  }
  return { digits: mostDigits, hasCode };
}

/** The loop that every text goes through: as plain as can be, and by itself, which makes it several times as fast. */
function nextDigit(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) break;
  }
  return at;
}

function digitsEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return end;
}

function areSeparators(text: string, start: number, end: number): boolean {
  if (end - start > MAX_SEPARATORS) return false;
  for (let at = start; at < end; at++) if (!SEPARATORS.has(text.charCodeAt(at))) return false;
  return true;
}

const CODE_LENGTH = 9;

/** True where a group of digits stands in a long run of letters and digits. */
function isInCode(text: string, digitsStart: number, digitsEnd: number): boolean {
  let start = digitsStart;
  let end = digitsEnd;
  while (start > 0 && digitsEnd - start < CODE_LENGTH && isWordCharacter(text.charCodeAt(start - 1))) start--;
  while (end < text.length && end - start < CODE_LENGTH && isWordCharacter(text.charCodeAt(end))) end++;
  return (
    end - start >= CODE_LENGTH &&
    (start < digitsStart || end > digitsEnd || hasLetterBeside(text, start, end))
  );
}

function hasLetterBeside(text: string, start: number, end: number): boolean {
  return isWordCharacter(text.charCodeAt(start - 1)) || isWordCharacter(text.charCodeAt(end));
}

const TOKEN_LENGTH = 16;
/** What a token is made of, of ASCII. */
const IS_IN_TOKEN = Uint8Array.from({ length: 128 }, (_, code) =>
  /[-\w+/=.~]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** A token of sixteen characters has one at every sixteenth place: only around these need be looked. */
function findsToken(text: string): boolean {
  for (let place = TOKEN_LENGTH - 1; place < text.length; place += TOKEN_LENGTH) {
    let start = place;
    while (start >= 0 && IS_IN_TOKEN[text.charCodeAt(start)] === 1) start--;
    if (start === place) continue;
    let end = place + 1;
    while (end < text.length && end - start <= TOKEN_LENGTH && IS_IN_TOKEN[text.charCodeAt(end)] === 1) end++;
    if (end - start > TOKEN_LENGTH) return true;
  }
  return false;
}
