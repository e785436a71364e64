import { NUMBER_END, startsNumber } from "../boundaries.js";
import { ANY_DIGITS, sumsOf } from "../digit-sums.js";
import { hasKeywordBefore } from "../keywords.js";
import { builtIn, findAll, type Pattern, type TextMatch } from "../pattern.js";
import { FEATURE } from "../text-features.js";

/** How the number of one country is known. */
export interface NationalIdRule {
  readonly name: string;
  /**
   * Its forms, as a regular expression without flags; the ends are checked beside it. Letters are capitals, and in
   * small ones only behind a keyword.
   */
  readonly shape: string;
  /** Words that say what it is. */
  readonly keyword?: RegExp;
  /**
   * What is a match without a keyword: any form that is valid (`always`), one that looks like this, or none (the
   * default), where a checksum of one digit lets every tenth number pass.
   */
  readonly standsAlone?: "always" | RegExp;
  /** How many of its digits stand together, but for separators: all that may be, or of its parts the one that always is. */
  readonly digits: readonly number[];
  /** What else a text must have. */
  readonly needs?: number;
  /** What else a text must have where the number has no keyword. */
  readonly needsAlone?: number;
  /** True where every form has a letter beside its digits. */
  readonly hasLetter?: boolean;
  /** @param compact - without separators, in capitals. */
  isValid(compact: string): boolean;
}

/** Separators that are no part of the number. */
const SEPARATORS = /[\s.\-/·]/g;
/** The same one throughout. */
const ONE_CHARACTER = /^(.)\1*$/;

/** The patterns of a rule: one for its forms that stand alone, one for those behind a keyword. */
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
