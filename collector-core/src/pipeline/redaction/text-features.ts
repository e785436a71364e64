/**
 * What a text has in it. A pattern runs only where the features that it cannot do without are there, so that a text
 * without anything costs little more than to be looked at once.
 */

import { isWordCharacter } from "./boundaries.js";
import { atLeast, digitsEnd, DigitSumCounter, nextDigit, type DigitSums } from "./digit-sums.js";
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
  /** A capital letter beside digits, or one character away from them. */
  capital: 512,
} as const;

/** What {@link textFeatures} found. */
export interface TextFeatures {
  /** A sum of bits of {@link FEATURE}, but for `named`. */
  readonly flags: number;
  readonly digitSums: DigitSums;
  /** Behind the last digit; 0 where there is none. */
  readonly digitsEnd: number;
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

const SOME_DIGITS = atLeast(1);
const FOUR_DIGITS = atLeast(4);

/** Looks at each character once for digits; the rest is found by searches that the engine does many at a time. */
export function textFeatures(text: string): TextFeatures {
  const { digitSums, digitsEnd, hasCode, hasCapital } = readDigits(text);
  const hasToken = findsToken(text);
  let flags = 0;
  if (hasCode) flags |= FEATURE.code;
  if (hasCapital) flags |= FEATURE.capital;
  if (hasToken) flags |= FEATURE.token;
  if ((digitSums & SOME_DIGITS) !== 0 || hasToken || ASSIGNMENT.test(text)) flags |= FEATURE.value;
  if (text.indexOf("@") >= 0 || text.indexOf("%40") >= 0) flags |= FEATURE.at;
  if ((digitSums & FOUR_DIGITS) !== 0 && DOTS.test(text)) flags |= FEATURE.dots;
  if (text.indexOf(":") >= 0) {
    if (COLONS.test(text)) flags |= FEATURE.colons;
    if (text.indexOf("://") >= 0) flags |= FEATURE.scheme;
  }
  if (text.indexOf("-----") >= 0) flags |= FEATURE.dashes;
  return { flags, digitSums, digitsEnd };
}

interface DigitFeatures extends Pick<TextFeatures, "digitSums" | "digitsEnd"> {
  readonly hasCode: boolean;
  readonly hasCapital: boolean;
}

function readDigits(text: string): DigitFeatures {
  const counter = new DigitSumCounter(text);
  let hasCode = false;
  let hasCapital = false;
  let lastEnd = 0;
  for (let start = nextDigit(text, 0); start < text.length; start = nextDigit(text, lastEnd)) {
    lastEnd = digitsEnd(text, start);
    counter.add(start, lastEnd);
    hasCode ||= isInCode(text, start, lastEnd);
    hasCapital ||= hasCapitalBeside(text, start, lastEnd);
  }
  return { digitSums: counter.sums, digitsEnd: lastEnd, hasCode, hasCapital };
}

function hasCapitalBeside(text: string, start: number, end: number): boolean {
  return (
    isCapital(text.charCodeAt(start - 1)) ||
    isCapital(text.charCodeAt(start - 2)) ||
    isCapital(text.charCodeAt(end)) ||
    isCapital(text.charCodeAt(end + 1))
  );
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
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
