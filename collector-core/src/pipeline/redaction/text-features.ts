/**
 * Detects the features of a text in one pass. A pattern runs only on texts with its required features, so that a text
 * without any costs little more than the one pass.
 */

import { isCapital, isDigit, isLetter, isWordCharacter } from "./boundaries.js";
import { characterCodes, MARGIN } from "./character-codes.js";
import { ANY_DIGITS, areSeparators, atLeast, sumsEndingWith, sumsOf, type DigitSums } from "./digit-sums.js";
import { NOT_PLAIN } from "./plain-characters.js";
import { mayEndSecretName } from "./secret-names.js";

/** The features, one bit each. */
export const FEATURE = {
  /** `@`, or `%40` as in a URL. */
  at: 1,
  /** A possible end of a secret's name, followed by `:`, `=` or `is`. */
  assignment: 1 << 1,
  /** Sixteen or more token characters in a row. */
  token: 1 << 2,
  /** Nine or more letters and digits in a row, with at least one of each. */
  code: 1 << 3,
  /** Four numbers separated by dots. */
  dots: 1 << 4,
  /** Two colons with at most four hexadecimal digits in between. */
  colons: 1 << 5,
  /** Five dashes. */
  dashes: 1 << 6,
  /** `://`. */
  scheme: 1 << 7,
  /** A keyword that identifies a number: `ssn`, `phone`. */
  named: 1 << 8,
  /** A capital letter within two characters of digits. */
  capital: 1 << 9,
  /** Two letters before two or more digits. */
  country: 1 << 10,
  /** A possible end of `bearer`, `basic` or `authorization`, followed by a space or an assignment. */
  authorization: 1 << 11,
  /** `+` or `00`, or a group of three digits. */
  phone: 1 << 12,
  /** A group of three digits. */
  three: 1 << 13,
  /** A group of six digits. */
  six: 1 << 14,
  /** A command-line option: `--` and a letter, `-u`, or `-p` or `-a` after a space. */
  option: 1 << 15,
  /** A possible end of a secret's name, followed by `>`. */
  element: 1 << 16,
  /** A possible end of a secret's name in capitals, or `PASS`, followed by `=`. */
  environment: 1 << 17,
  /** `value` or `val`, followed by `:` or `=`. */
  pair: 1 << 18,
  /** A possible end of a secret's name, followed by `|`. */
  cell: 1 << 19,
  /** `sig=`, `signature=`, `auth` or `_pass` before `:` or `=`, or `password` or `identified by` before a space. */
  exactName: 1 << 20,
  /** A possible end of a secret's name in capitals, followed by a space. */
  variable: 1 << 21,
} as const;

/** Result of {@link textFeatures}. */
export interface TextFeatures {
  /** Bits of {@link FEATURE}, except for `named`. */
  readonly flags: number;
  readonly digitSums: DigitSums;
  /** End of the last digit; 0 without digits. */
  readonly digitsEnd: number;
  /** True when an ASCII character may be written as an escape or an entity. */
  readonly mayHaveEscapes: boolean;
  /** The UTF-16 codes of the text from index {@link MARGIN} on. The buffer is reused by the next call. */
  readonly codes: Uint16Array;
  /** False when the text has variants of ASCII characters. The other results are then not computed. */
  readonly isPlain: boolean;
}

/** Every match contains one of these characters, or one of the words below. Most prose has none. */
const MATCH_CHARACTER = new RegExp(String.raw`[\d@:=_<&${NOT_PLAIN}-]`);
/** Prefixes of the only key that needs neither digits nor symbols. */
const MATCH_WORDS = ["AKIA", "ASIA"];

/** True when no built-in pattern can match the text. Faster than {@link textFeatures}. */
export function isPlainProse(text: string): boolean {
  return !MATCH_CHARACTER.test(text) && !MATCH_WORDS.some((word) => text.indexOf(word) >= 0);
}

/** Kinds of characters that need a closer look. Kinds from `space` on end a token. */
const KIND = {
  digit: 1,
  equals: 2,
  dash: 3,
  plus: 4,
  space: 5,
  colon: 6,
  at: 7,
  percent: 8,
  backslash: 9,
  greaterThan: 10,
  ampersand: 11,
  pipe: 12,
  other: 13,
  notPlain: 14,
} as const;
const KINDS: readonly (readonly [RegExp, number])[] = [
  [new RegExp(`[${NOT_PLAIN}]`), KIND.notPlain],
  [/\d/, KIND.digit],
  [/\s/, KIND.space],
  [/:/, KIND.colon],
  [/=/, KIND.equals],
  [/@/, KIND.at],
  [/%/, KIND.percent],
  [/-/, KIND.dash],
  [/\+/, KIND.plus],
  [/\\/, KIND.backslash],
  [/>/, KIND.greaterThan],
  [/&/, KIND.ampersand],
  [/\|/, KIND.pipe],
  [/[^\w/.~]/, KIND.other],
];
const KIND_OF = Uint8Array.from({ length: 0x10000 }, (_, code) => {
  const character = String.fromCharCode(code);
  return KINDS.find(([expression]) => expression.test(character))?.[1] ?? 0;
});

const TOKEN_LENGTH = 16;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
const LETTER_B = 0x62;
const LETTER_C = 0x63;
const LETTER_D = 0x64;
const LETTER_Y = 0x79;
const UNDERSCORE = 0x5f;
const LETTER_E = 0x65;
const LETTER_G = 0x67;
const LETTER_H = 0x68;
const LETTER_I = 0x69;
const LETTER_L = 0x6c;
const LETTER_N = 0x6e;
const LETTER_O = 0x6f;
const LETTER_P = 0x70;
const LETTER_R = 0x72;
const LETTER_S = 0x73;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
/** Bit that converts an ASCII letter to lower case. */
const LOWER_CASE = 0x20;

const NO_DIGITS = sumsOf(0);
const SOME_DIGITS = atLeast(1);
/** Number features of a text with escapes, because the digits of an escape do not belong to an adjacent number. */
const ANY_NUMBER = FEATURE.country | FEATURE.phone | FEATURE.three | FEATURE.six;

/** Detects the features of a text. Visits each character once. */
export function textFeatures(text: string): TextFeatures {
  const codes = characterCodes(text);
  const end = MARGIN + text.length;
  let flags = 0;
  let sums = NO_DIGITS;
  let endingSums = 0;
  let digitsEnd = MARGIN;
  let numbersWithDots = 0;
  let colon = 0;
  let tokenStart = MARGIN;
  let hasSign = false;
  let isEscaped = false;
  let mayHaveEscapes = false;

  for (let at = MARGIN; at < end; at++) {
    const code = codes[at] as number;
    // Fast path: most characters are lower-case letters.
    if (code >= LETTER_A && code <= LETTER_Z) continue;
    const kind = KIND_OF[code] as number;
    if (kind === 0) continue;
    if (kind >= KIND.space) {
      if (at - tokenStart >= TOKEN_LENGTH) flags |= FEATURE.token;
      tokenStart = at + 1;
    }
    if (kind === KIND.space) {
      // Cheap checks of the adjacent letters come first.
      const last = (codes[at - 1] as number) | LOWER_CASE;
      if (last === LETTER_R || last === LETTER_C) flags |= featuresOfScheme(codes, at);
      else if (last === LETTER_D) flags |= featuresOfPassword(codes, at);
      else if (last === LETTER_Y && endsWith(codes, at, "identified by")) flags |= FEATURE.exactName;
      if (isCapital(codes[at - 1] as number) && mayEndName(codes, at)) flags |= FEATURE.variable;
      if (((codes[at + 1] as number) | LOWER_CASE) === LETTER_I && isWordIs(codes, at + 1))
        flags |= featuresBeforeSign(codes, at);
    } else if (kind === KIND.digit) {
      numbersWithDots = at === digitsEnd + 1 && codes[digitsEnd] === DOT ? numbersWithDots + 1 : 1;
      if (numbersWithDots === 4) flags |= FEATURE.dots;
      const joined = areSeparators(codes, digitsEnd, at) ? endingSums : 0;
      digitsEnd = at + 1;
      while (isDigit(codes[digitsEnd] as number)) digitsEnd++;
      endingSums = sumsEndingWith(digitsEnd - at, joined);
      sums |= endingSums;
      flags |= featuresOfDigits(codes, at, digitsEnd);
      at = digitsEnd - 1;
    } else if (kind === KIND.colon) {
      hasSign = true;
      flags |= featuresBeforeSign(codes, at);
      if (codes[at + 1] === SLASH && codes[at + 2] === SLASH) flags |= FEATURE.scheme;
      if (at - colon <= 5 && areHexadecimal(codes, colon + 1, at)) flags |= FEATURE.colons;
      colon = at;
    } else if (kind === KIND.equals) {
      hasSign = true;
      flags |= featuresBeforeSign(codes, at) | featuresBeforeEquals(codes, at);
    } else if (kind === KIND.at) flags |= FEATURE.at;
    else if (kind === KIND.percent) {
      if (codes[at + 1] === 0x34 && codes[at + 2] === ZERO) flags |= FEATURE.at;
    } else if (kind === KIND.dash) {
      if (isDash(codes, at + 1) && isDash(codes, at + 2) && isDash(codes, at + 3) && isDash(codes, at + 4))
        flags |= FEATURE.dashes;
      if (isOption(codes, at)) flags |= FEATURE.option;
    } else if (kind === KIND.plus) flags |= FEATURE.phone;
    else if (kind === KIND.backslash) {
      isEscaped ||= codes[at + 1] === LETTER_U;
      mayHaveEscapes ||= codes[at + 1] === LETTER_U || codes[at + 1] === LETTER_X;
    } else if (kind === KIND.greaterThan) {
      if (mayEndElement(codes, at)) flags |= FEATURE.element;
    } else if (kind === KIND.ampersand) mayHaveEscapes = true;
    else if (kind === KIND.pipe) {
      if (mayEndNameCell(codes, at)) flags |= FEATURE.cell;
    } else if (kind === KIND.notPlain)
      return { flags: 0, digitSums: 0, digitsEnd: 0, mayHaveEscapes: true, codes, isPlain: false };
  }

  if (end - tokenStart >= TOKEN_LENGTH) flags |= FEATURE.token;
  // An assigned value has a digit, is a token, or follows `:` or `=`.
  const mayAssign = hasSign || (flags & FEATURE.token) !== 0 || (sums & SOME_DIGITS) !== 0;
  if (!mayAssign) flags &= ~(FEATURE.assignment | FEATURE.authorization);
  if (isEscaped) flags |= ANY_NUMBER;
  return {
    flags,
    digitSums: isEscaped ? ANY_DIGITS : sums,
    digitsEnd: digitsEnd - MARGIN,
    mayHaveEscapes,
    codes,
    isPlain: true,
  };
}

const DOT = 0x2e;
const DASH = 0x2d;
const SLASH = 0x2f;
const ZERO = 0x30;

function isDash(codes: Uint16Array, at: number): boolean {
  return codes[at] === DASH;
}

/**
 * True at the first dash of `--x`, where x is a letter, at the dash of `-u`, and at the dash of `-p` and `-a` after a
 * space.
 */
function isOption(codes: Uint16Array, dash: number): boolean {
  const next = codes[dash + 1] as number;
  if (next === LETTER_U) return true;
  if (next === LETTER_P || next === LETTER_A) return KIND_OF[codes[dash - 1] as number] === KIND.space;
  return next === DASH && isLetter(codes[dash + 2] as number);
}

/** True when the name before `>` may be a secret's: `</password>`, `</pass >`. */
function mayEndElement(codes: Uint16Array, closing: number): boolean {
  let end = closing;
  while (closing - end < MAX_ELEMENT_SPACES && KIND_OF[codes[end - 1] as number] === KIND.space) end--;
  const last = codes[end - 1] as number;
  const beforeLast = codes[end - 2] as number;
  const mayBePlural = (last | LOWER_CASE) === LETTER_S;
  return mayEndSecretName(beforeLast, last) || mayBePlural;
}

function areHexadecimal(codes: Uint16Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = (codes[at] as number) | LOWER_CASE;
    if (!isDigit(codes[at] as number) && !(code >= 0x61 && code <= 0x66)) return false;
  }
  return true;
}

/** Detects `bearer` or `basic` before a space. */
function featuresOfScheme(codes: Uint16Array, space: number): number {
  const second = (codes[space - 2] as number) | LOWER_CASE;
  const third = (codes[space - 3] as number) | LOWER_CASE;
  const isBearer = second === LETTER_E && third === LETTER_R;
  const isBasic =
    second === LETTER_I && third === LETTER_S && ((codes[space - 5] as number) | LOWER_CASE) === LETTER_B;
  return isBearer || isBasic ? FEATURE.authorization : 0;
}

/** Detects `password` before a space. */
function featuresOfPassword(codes: Uint16Array, space: number): number {
  const second = (codes[space - 2] as number) | LOWER_CASE;
  return second === LETTER_R && endsWith(codes, space, "password") ? FEATURE.exactName : 0;
}

function isWordIs(codes: Uint16Array, at: number): boolean {
  return (
    ((codes[at + 1] as number) | LOWER_CASE) === LETTER_S &&
    (KIND_OF[codes[at + 2] as number] === KIND.space || KIND_OF[codes[at + 2] as number] === KIND.colon)
  );
}

/** Maximum spaces between a name and `>`. */
const MAX_ELEMENT_SPACES = 4;
/** Maximum spaces between a name and an assignment. */
const MAX_SPACES = 40;
/** Maximum closing quotes, brackets and Markdown marks after a name. */
const MAX_CLOSING = 6;
const CLOSING = new Set(Array.from("\\\"'`]*_", (character) => character.charCodeAt(0)));

/** Returns the end of the name before a sign. */
function nameEnd(codes: Uint16Array, sign: number): number {
  let end = sign;
  while (sign - end < MAX_SPACES && KIND_OF[codes[end - 1] as number] === KIND.space) end--;
  for (let left = MAX_CLOSING; left > 0 && CLOSING.has(codes[end - 1] as number); left--) end--;
  return end;
}

function mayEndName(codes: Uint16Array, end: number): boolean {
  return mayEndSecretName(codes[end - 2] as number, codes[end - 1] as number);
}

/** True when a word in any case ends at `end`. The word has at most {@link MARGIN} letters. */
function endsWith(codes: Uint16Array, end: number, word: string): boolean {
  for (let left = 1; left <= word.length; left++)
    if (((codes[end - left] as number) | LOWER_CASE) !== word.charCodeAt(word.length - left)) return false;
  return true;
}

/** True when the name of a secret may end before `|`, but not for the type in `string | number`. */
function mayEndNameCell(codes: Uint16Array, pipe: number): boolean {
  const end = nameEnd(codes, pipe);
  return mayEndName(codes, end) && !endsWith(codes, end, "string");
}

/** Detects the name of a secret or of the header `Authorization` before an assignment. */
function featuresBeforeSign(codes: Uint16Array, sign: number): number {
  // Not in a function of its own: most assignments end here, and a call takes as long as the check.
  let end = sign;
  while (sign - end < MAX_SPACES && KIND_OF[codes[end - 1] as number] === KIND.space) end--;
  for (let left = MAX_CLOSING; left > 0 && CLOSING.has(codes[end - 1] as number); left--) end--;
  const last = codes[end - 1] as number;
  const beforeLast = codes[end - 2] as number;
  if (mayEndSecretName(beforeLast, last)) return featuresOfName(codes, end);
  const isExact =
    ((last | LOWER_CASE) === LETTER_H && endsWith(codes, end, "auth")) ||
    ((last | LOWER_CASE) === LETTER_S && endsWith(codes, end, "pass") && codes[end - 5] === UNDERSCORE);
  return isExact ? FEATURE.exactName : 0;
}

function featuresOfName(codes: Uint16Array, end: number): number {
  const last = (codes[end - 1] as number) | LOWER_CASE;
  const beforeLast = (codes[end - 2] as number) | LOWER_CASE;
  if (last === LETTER_N && beforeLast === LETTER_O) return FEATURE.assignment | FEATURE.authorization;
  const isPair =
    (last === LETTER_E && beforeLast === LETTER_U && endsWith(codes, end, "value")) ||
    (last === LETTER_L && endsWith(codes, end, "val"));
  return isPair ? FEATURE.assignment | FEATURE.pair : FEATURE.assignment;
}

/** Detects an environment variable or the signature of a URL. */
function featuresBeforeEquals(codes: Uint16Array, sign: number): number {
  const last = codes[sign - 1] as number;
  if (isCapital(last) && (mayEndName(codes, sign) || endsWith(codes, sign, "pass")))
    return FEATURE.environment;
  const lower = last | LOWER_CASE;
  const isSignature =
    (lower === LETTER_G && endsWith(codes, sign, "sig")) ||
    (lower === LETTER_E && endsWith(codes, sign, "signature"));
  return isSignature ? FEATURE.exactName : 0;
}

/** Detects features of a group of digits and its neighbours. */
function featuresOfDigits(codes: Uint16Array, start: number, end: number): number {
  const before = codes[start - 1] as number;
  const secondBefore = codes[start - 2] as number;
  const after = codes[end] as number;
  const secondAfter = codes[end + 1] as number;
  let features = 0;
  if (end - start === 3) features = FEATURE.three | FEATURE.phone;
  else if (end - start === 6) features = FEATURE.six;
  if (codes[start] === ZERO && codes[start + 1] === ZERO) {
    const isInNumber = (before === DASH || before === DOT) && isDigit(secondBefore);
    if (!isInNumber) features |= FEATURE.phone;
  }
  if (isCapital(before) || isCapital(secondBefore) || isCapital(after) || isCapital(secondAfter))
    features |= FEATURE.capital;
  if (isWordCharacter(before) || isWordCharacter(after)) {
    if (isLetter(before) && isLetter(secondBefore) && end - start >= 2) features |= FEATURE.country;
    if (isInCode(codes, start, end)) features |= FEATURE.code;
  }
  return features;
}

const CODE_LENGTH = 9;

/** True when a group of digits is part of a long run of letters and digits. */
function isInCode(codes: Uint16Array, digitsStart: number, digitsEnd: number): boolean {
  let start = digitsStart;
  let end = digitsEnd;
  while (end - start < CODE_LENGTH && isWordCharacter(codes[start - 1] as number)) start--;
  while (end - start < CODE_LENGTH && isWordCharacter(codes[end] as number)) end++;
  return end - start >= CODE_LENGTH;
}
