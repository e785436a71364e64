import { ANY_DIGITS, type DigitSums } from "./digit-sums.js";

/** Where something stands in a text. */
export interface TextMatch {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/** Finds one kind of sensitive text. */
export interface Pattern {
  /** What was found: the label `pattern` of `obs_redactions_total`. */
  readonly name: string;
  /** What stands in the place of a match, as it is: `$&` is text. */
  readonly replacement: string;
  /** The features of a text without which there can be no match: bits of `FEATURE`. */
  readonly needs: number;
  /** Sums of digits, of which a text with a match has one at least. */
  readonly digits: DigitSums;
  /** Words that say, standing before it, what a text is. */
  readonly keyword?: RegExp | undefined;
  /** All matches, from left to right, none inside another and none empty. */
  readonly find: (text: string) => TextMatch[];
}

/** A pattern of the built-in table; its replacement is its name: `[EMAIL]`. */
export function builtIn(pattern: Pick<Pattern, "name" | "find"> & Partial<Pattern>): Pattern {
  return { replacement: `[${pattern.name.toUpperCase()}]`, needs: 0, digits: ANY_DIGITS, ...pattern };
}

/** What a built-in pattern leaves behind. None looks for anything in it. */
export const REPLACEMENT_TAG = /\[[A-Z][A-Z0-9_]{1,30}\]/g;

/** The same matches in a text of which another form was searched. */
export function matchesAt(
  matches: readonly TextMatch[],
  places: Int32Array | undefined,
): readonly TextMatch[] {
  if (places === undefined) return matches;
  return matches.map(({ start, end }) => ({ start: places[start] ?? 0, end: places[end] ?? 0 }));
}

/** Puts a replacement in the place of each match. */
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
 * The matches of a regular expression with the flag `g` that pass a check.
 *
 * @param accept - true: the match as it is; a part of it; or false: the search goes on behind it.
 */
export function findAll(
  text: string,
  expression: RegExp,
  accept: (match: RegExpExecArray) => TextMatch | boolean | undefined,
): TextMatch[] {
  const found: TextMatch[] = [];
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
