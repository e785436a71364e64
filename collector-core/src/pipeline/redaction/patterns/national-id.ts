import { NUMBER_END, startsNumber } from "../boundaries.js";
import { ANY_DIGITS, sumsOf } from "../digit-sums.js";
import { hasKeywordBefore } from "../keywords.js";
import { builtIn, findAll, type Pattern, type TextMatch } from "../pattern.js";
import { FEATURE } from "../text-features.js";

/** Rule for an identity number. */
export interface NationalIdRule {
  readonly name: string;
  /**
   * Regular expression of the forms, without flags and boundaries. Lower-case letters match only after a keyword.
   */
  readonly shape: string;
  /** Keywords that identify the number. */
  readonly keyword?: RegExp;
  /**
   * Forms that match without a keyword: all valid ones (`always`), those that match an expression, or none (the
   * default). A one-digit checksum alone is too weak, because every tenth number passes.
   */
  readonly standsAlone?: "always" | RegExp;
  /** Possible digit counts of the number, or of a part that every form contains, ignoring separators. */
  readonly digits: readonly number[];
  /** Further required features of the text. */
  readonly needs?: number;
  /** Further required features of the text when the number has no keyword. */
  readonly needsAlone?: number;
  /** True when every form has a letter next to its digits. */
  readonly hasLetter?: boolean;
  /** @param compact - the number without separators, in upper case. */
  isValid(compact: string): boolean;
}

/** Separators within a number. */
const SEPARATORS = /[\s.\-/·]/g;
/** A repetition of a single character. */
const ONE_CHARACTER = /^(.)\1*$/;

/** Creates the patterns of a rule: one for forms without a keyword, and one for forms after a keyword. */
export function nationalId(rule: NationalIdRule): Pattern[] {
  const { name, needs = 0, needsAlone = 0, hasLetter = false, keyword, standsAlone } = rule;
  const digits = rule.digits.length === 0 ? ANY_DIGITS : sumsOf(...rule.digits);
  const expression = `(?:${rule.shape})${NUMBER_END}`;

  function isValid(form: string): boolean {
    const compact = form.replace(SEPARATORS, "").toUpperCase();
    return !ONE_CHARACTER.test(compact) && rule.isValid(compact);
  }

  function findWhere(flags: string, isNumber: (text: string, form: string, at: number) => boolean) {
    const search = new RegExp(expression, flags);
    return (text: string): TextMatch[] =>
      findAll(text, search, ({ 0: form, index }) => startsNumber(text, index) && isNumber(text, form, index));
  }

  const patterns: Pattern[] = [];
  if (standsAlone !== undefined) {
    const isDistinct = (form: string) => standsAlone === "always" || standsAlone.test(form);
    patterns.push(
      builtIn({
        name,
        needs: needs | needsAlone | (hasLetter ? FEATURE.capital : 0),
        digits,
        find: findWhere("g", (_text, form) => isDistinct(form) && isValid(form)),
      }),
    );
  }
  if (keyword !== undefined) {
    const find = findWhere("gi", (text, form, at) => isValid(form) && hasKeywordBefore(text, at, keyword));
    patterns.push(builtIn({ name, needs: needs | FEATURE.named, digits, keyword, find }));
  }
  return patterns;
}
