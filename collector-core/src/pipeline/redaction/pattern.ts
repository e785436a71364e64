import { ANY_DIGITS, type DigitSums } from "./digit-sums.js";

/** Position of a match in a text. */
export interface TextMatch {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Finds one kind of sensitive text. */
export interface Pattern {
  /** The label `pattern` of `obs_redactions_total`. */
  readonly name: string;
  /** Replaces each match literally: `$&` is text. */
  readonly replacement: string;
  /** Features that every text with a match has: bits of `FEATURE`. */
  readonly needs: number;
  /** Every text with a match has at least one of these digit sums. */
  readonly digits: DigitSums;
  /** Keywords that identify the text after them. */
  readonly keyword?: RegExp | undefined;
  /** Returns all matches from left to right. Matches do not overlap and are not empty. */
  readonly find: (text: string) => TextMatch[];
}

/** Creates a built-in pattern, by default with its name as the replacement: `[EMAIL]`. */
export function builtIn(pattern: Pick<Pattern, "name" | "find"> & Partial<Pattern>): Pattern {
  return { replacement: `[${pattern.name.toUpperCase()}]`, needs: 0, digits: ANY_DIGITS, ...pattern };
}

/** Replacement of a built-in pattern. No pattern matches within it. */
export const REPLACEMENT_TAG = /\[[A-Z][A-Z0-9_]{1,30}\]/g;

/** A tag that no password contains by chance. */
const CERTAIN_TAG = /\[[A-Z_]{4,}\]/;

/** True for a value in which a pattern has replaced something: a second pass must not change what the first one left. */
export function hasReplacement(value: string): boolean {
  return CERTAIN_TAG.test(value);
}

/** Maps matches in a decoded text to the original text. Without offsets both texts have the same positions. */
export function mapMatches(
  matches: readonly TextMatch[],
  offsets: Int32Array | undefined,
): readonly TextMatch[] {
  if (offsets === undefined) return matches;
  return matches.map(({ start, end }) => ({ start: offsets[start] ?? 0, end: offsets[end] ?? 0 }));
}

/** Replaces each match. */
export function replaceMatches(text: string, matches: readonly TextMatch[], replacement: string): string {
  let result = "";
  let copiedTo = 0;
  for (const { start, end } of matches) {
    result += text.slice(copiedTo, start) + replacement;
    copiedTo = end;
  }
  return result + text.slice(copiedTo);
}

/**
 * Returns the matches of a regular expression with the flag `g` that pass a check.
 *
 * @param accept - returns true for the whole match, a part of it, or false to skip it.
 */
export function findAll(
  text: string,
  expression: RegExp,
  accept: (match: RegExpExecArray) => TextMatch | boolean | undefined,
): TextMatch[] {
  const found: TextMatch[] = [];
  // The expressions are module constants: no position may remain from an earlier search.
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    const verdict = accept(match);
    if (verdict === true) found.push({ start: match.index, end: expression.lastIndex });
    else if (verdict !== false && verdict !== undefined) {
      found.push(verdict);
      expression.lastIndex = Math.max(verdict.end, match.index + 1);
    }
  }
  return found;
}
