/**
 * What a text has in it. A pattern runs only where the features that it cannot do without are there, so that a text
 * without anything costs little more than to be looked at once.
 */

import { isCapital, isDigit, isLetter, isWordCharacter } from "./boundaries.js";
import { characterCodes, MARGIN } from "./character-codes.js";
import { ANY_DIGITS, areSeparators, atLeast, sumsEndingWith, sumsOf, type DigitSums } from "./digit-sums.js";
import { NOT_PLAIN } from "./plain-characters.js";
import { mayEndSecretName } from "./secret-names.js";

/** The features, each a bit. */
export const FEATURE = {
  /** `@`, or `%40`, as which it stands in a URL. */
  at: 1,
  /** The end of what may be the name of a secret, and what assigns: `:`, `=` or `is`. */
  assignment: 1 << 1,
  /** Sixteen or more characters of which keys and tokens are made. */
  token: 1 << 2,
  /** Nine or more letters and digits, both among them. */
  code: 1 << 3,
  /** Four numbers with dots between them. */
  dots: 1 << 4,
  /** Two colons with at most four hexadecimal digits between them. */
  colons: 1 << 5,
  /** Five dashes. */
  dashes: 1 << 6,
  /** `://`. */
  scheme: 1 << 7,
  /** A word that says what a number is: `ssn`, `phone`. */
  named: 1 << 8,
  /** A capital letter beside digits, or one character away from them. */
  capital: 1 << 9,
  /** Two letters before two digits or more. */
  country: 1 << 10,
  /** What may be the end of `bearer`, `basic` or `authorization`, and what may follow it. */
  authorization: 1 << 11,
  /** `+` or `00`, or a group of three digits. */
  phone: 1 << 12,
  /** A group of three digits. */
  three: 1 << 13,
  /** A group of six digits. */
  six: 1 << 14,
  /** An option of a command: `--` and a letter, or `-u`. */
  option: 1 << 15,
  /** The end of what may be the name of a secret, and `>`. */
  element: 1 << 16,
} as const;

/** What {@link textFeatures} found. */
export interface TextFeatures {
  /** A sum of bits of {@link FEATURE}, but for `named`. */
  readonly flags: number;
  readonly digitSums: DigitSums;
  /** Behind the last digit; 0 where there is none. */
  readonly digitsEnd: number;
  /** True where a character of ASCII may be written as an escape or an entity. */
  readonly mayHaveEscapes: boolean;
  /** The characters of the text, from {@link MARGIN} on; good until the next text is looked at. */
  readonly codes: Uint16Array;
  /** False where a character stands for one of ASCII: nothing else is said of such a text. */
  readonly isPlain: boolean;
}

/** Whoever has none of these has nothing to redact; most prose does not. */
const NOTEWORTHY = new RegExp(String.raw`[\d@:=_<&${NOT_PLAIN}-]`);
/** The one form of a key that may have neither digit nor symbol. */
const NOTEWORTHY_WORDS = ["AKIA", "ASIA"];

/** True where nothing in the text can be a match of a built-in pattern: what {@link textFeatures} says, sooner. */
export function isPlainProse(text: string): boolean {
  return !NOTEWORTHY.test(text) && !NOTEWORTHY_WORDS.some((word) => text.indexOf(word) >= 0);
}

/** What is looked at more closely. From `space` on, what ends a token. */
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
  other: 12,
  notPlain: 13,
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
const LETTER_E = 0x65;
const LETTER_I = 0x69;
const LETTER_N = 0x6e;
const LETTER_O = 0x6f;
const LETTER_R = 0x72;
const LETTER_S = 0x73;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
/** Makes a capital letter of ASCII a small one. */
const SMALL = 0x20;

const NO_DIGITS = sumsOf(0);
const SOME_DIGITS = atLeast(1);
/** Behind the escape of a character its digits are no part of a number, though they stand beside it. */
const ANY_NUMBER = FEATURE.country | FEATURE.phone | FEATURE.three | FEATURE.six;

/** Looks at each character once. */
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
    // Most of a text is small letters.
    if (code >= LETTER_A && code <= LETTER_Z) continue;
    const kind = KIND_OF[code] as number;
    if (kind === 0) continue;
    if (kind >= KIND.space) {
      if (at - tokenStart >= TOKEN_LENGTH) flags |= FEATURE.token;
      tokenStart = at + 1;
    }
    if (kind === KIND.space) {
      // What few words end or begin with is asked first.
      const last = (codes[at - 1] as number) | SMALL;
      if (last === LETTER_R || last === LETTER_C) flags |= featuresOfScheme(codes, at);
      if (((codes[at + 1] as number) | SMALL) === LETTER_I && isWordIs(codes, at + 1))
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
      flags |= featuresBeforeSign(codes, at);
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
    else if (kind === KIND.notPlain)
      return { flags: 0, digitSums: 0, digitsEnd: 0, mayHaveEscapes: true, codes, isPlain: false };
  }

  if (end - tokenStart >= TOKEN_LENGTH) flags |= FEATURE.token;
  // A value has a digit or is a token, or it is assigned with a sign.
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

/** True for the first of two dashes before a letter, and for the dash of `-u`. */
function isOption(codes: Uint16Array, dash: number): boolean {
  const next = codes[dash + 1] as number;
  if (next === LETTER_U) return true;
  return next === DASH && isLetter(codes[dash + 2] as number);
}

/** `</password>`, `</pass >`. */
function mayEndElement(codes: Uint16Array, closing: number): boolean {
  let end = closing;
  while (closing - end < MAX_SPACES && KIND_OF[codes[end - 1] as number] === KIND.space) end--;
  const last = codes[end - 1] as number;
  const beforeLast = codes[end - 2] as number;
  const mayBePlural = (last | SMALL) === LETTER_S;
  return mayEndSecretName(beforeLast, last) || mayBePlural;
}

function areHexadecimal(codes: Uint16Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = (codes[at] as number) | SMALL;
    if (!isDigit(codes[at] as number) && !(code >= 0x61 && code <= 0x66)) return false;
  }
  return true;
}

/** `bearer` or `basic` before a space. */
function featuresOfScheme(codes: Uint16Array, space: number): number {
  const second = (codes[space - 2] as number) | SMALL;
  const third = (codes[space - 3] as number) | SMALL;
  const isBearer = second === LETTER_E && third === LETTER_R;
  const isBasic =
    second === LETTER_I && third === LETTER_S && ((codes[space - 5] as number) | SMALL) === LETTER_B;
  return isBearer || isBasic ? FEATURE.authorization : 0;
}

function isWordIs(codes: Uint16Array, at: number): boolean {
  return ((codes[at + 1] as number) | SMALL) === LETTER_S && KIND_OF[codes[at + 2] as number] === KIND.space;
}

/** So many spaces may stand before what assigns, and before these so many characters that close quotes and brackets. */
const MAX_SPACES = 4;
const MAX_CLOSING = 6;
const CLOSING = new Set(Array.from("\\\"'`]", (character) => character.charCodeAt(0)));

/** The name of a secret, or of the header, before what assigns. */
function featuresBeforeSign(codes: Uint16Array, sign: number): number {
  let end = sign;
  while (sign - end < MAX_SPACES && KIND_OF[codes[end - 1] as number] === KIND.space) end--;
  for (let left = MAX_CLOSING; left > 0 && CLOSING.has(codes[end - 1] as number); left--) end--;
  const last = codes[end - 1] as number;
  const beforeLast = codes[end - 2] as number;
  if (!mayEndSecretName(beforeLast, last)) return 0;
  const mayBeHeader = (last | SMALL) === LETTER_N && (beforeLast | SMALL) === LETTER_O;
  return mayBeHeader ? FEATURE.assignment | FEATURE.authorization : FEATURE.assignment;
}

/** What a group of digits is, and what stands beside it. */
function featuresOfDigits(codes: Uint16Array, start: number, end: number): number {
  const before = codes[start - 1] as number;
  const beforeThat = codes[start - 2] as number;
  const behind = codes[end] as number;
  const behindThat = codes[end + 1] as number;
  let features = 0;
  if (end - start === 3) features = FEATURE.three | FEATURE.phone;
  else if (end - start === 6) features = FEATURE.six;
  if (codes[start] === ZERO && codes[start + 1] === ZERO) {
    const isInNumber = (before === DASH || before === DOT) && isDigit(beforeThat);
    if (!isInNumber) features |= FEATURE.phone;
  }
  if (isCapital(before) || isCapital(beforeThat) || isCapital(behind) || isCapital(behindThat))
    features |= FEATURE.capital;
  if (isWordCharacter(before) || isWordCharacter(behind)) {
    if (isLetter(before) && isLetter(beforeThat) && end - start >= 2) features |= FEATURE.country;
    if (isInCode(codes, start, end)) features |= FEATURE.code;
  }
  return features;
}

const CODE_LENGTH = 9;

/** True where a group of digits with a letter beside it stands in a long run of letters and digits. */
function isInCode(codes: Uint16Array, digitsStart: number, digitsEnd: number): boolean {
  let start = digitsStart;
  let end = digitsEnd;
  while (end - start < CODE_LENGTH && isWordCharacter(codes[start - 1] as number)) start--;
  while (end - start < CODE_LENGTH && isWordCharacter(codes[end] as number)) end++;
  return end - start >= CODE_LENGTH;
}
