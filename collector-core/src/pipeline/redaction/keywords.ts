import { REPLACEMENT_TAG } from "./pattern.js";

/** How far before a number its keyword may end. */
const KEYWORD_DISTANCE = 32;
/** The longest keyword, and one character to see where it begins. */
const KEYWORD_LENGTH = 24;

/** How many characters before a match decide whether it is one. */
export const CONTEXT_LENGTH = KEYWORD_DISTANCE + KEYWORD_LENGTH;

/** Letters of scripts that put spaces between words; Chinese or Japanese text has none to look for. */
const LETTER = String.raw`[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]`;
const PARTIAL_TAG = /^[A-Z0-9_]{1,30}\]/;

const START = `(?<!${LETTER}|\\p{N})(?:`;
const END = `)s?(?!${LETTER})`;

/**
 * Words that say what a number is, where its form alone does not say enough. An underscore is a space: `user_ssn`.
 *
 * @param words - alternatives of a regular expression, in lower case.
 */
export function keywords(words: string): RegExp {
  return new RegExp(START + words + END, "iu");
}

/** The words of several {@link keywords}, each of which may be any of them. */
export function wordsOf(expressions: readonly RegExp[]): string {
  return expressions.map(({ source }) => source.slice(START.length, -END.length)).join("|");
}

/** True where a keyword ends not far before `at`. What a replacement says is no keyword: `[US_SSN]`. */
export function hasKeywordBefore(text: string, at: number, keyword: RegExp): boolean {
  const start = Math.max(0, at - CONTEXT_LENGTH);
  let context = text.slice(start, at);
  if (context.includes("]")) context = context.replace(PARTIAL_TAG, "").replace(REPLACEMENT_TAG, "");
  // What the cut leaves of a longer word is no keyword: behind a letter none begins.
  else if (start > 0) context = `x${context}`;
  return keyword.test(context);
}
