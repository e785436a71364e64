import { REPLACEMENT_TAG } from "./pattern.js";

/** Maximum distance between a keyword and its number. */
const KEYWORD_DISTANCE = 32;
/** Length of the longest keyword plus the character before it. */
const KEYWORD_LENGTH = 24;

/** Number of characters before a number that are searched for a keyword. */
export const CONTEXT_LENGTH = KEYWORD_DISTANCE + KEYWORD_LENGTH;

/** Letters of scripts with spaces between words, unlike Chinese or Japanese. */
const LETTER = String.raw`[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]`;
const PARTIAL_TAG = /^[A-Z0-9_]{1,30}\]/;

const START = `(?<!${LETTER}|\\p{N})(?:`;
const END = `)s?(?!${LETTER})`;

/**
 * Creates the expression of keywords that identify a number whose form alone is ambiguous. An underscore separates
 * words: `user_ssn`.
 *
 * @param words - lower-case alternatives of a regular expression.
 */
export function keywords(words: string): RegExp {
  return new RegExp(START + words + END, "iu");
}

/** Returns the words of several {@link keywords} as alternatives. */
export function wordsOf(expressions: readonly RegExp[]): string {
  return expressions.map(({ source }) => source.slice(START.length, -END.length)).join("|");
}

/** True when a keyword ends shortly before `at`. Ignores replacements such as `[US_SSN]`. */
export function hasKeywordBefore(text: string, at: number, keyword: RegExp): boolean {
  const start = Math.max(0, at - CONTEXT_LENGTH);
  let context = text.slice(start, at);
  if (context.includes("]")) context = context.replace(PARTIAL_TAG, "").replace(REPLACEMENT_TAG, "");
  // Prepends a letter, so that the rest of a cut-off word does not count as a keyword.
  else if (start > 0) context = `x${context}`;
  return keyword.test(context);
}
