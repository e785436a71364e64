import { NUMBER_END, startsNumber } from "../boundaries.js";
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
  /** How many of its digits stand together at least, but for separators. */
  readonly minDigits: number;
  /** What else a text must have. */
  readonly needs?: number;
  /** @param compact - without separators, in capitals. */
  isValid(compact: string): boolean;
}

/** Separators that are no part of the number. */
const SEPARATORS = /[\s.\-/·]/g;

/** The patterns of a rule: one for its forms that stand alone, one for those behind a keyword. */
export function nationalId(rule: NationalIdRule): Pattern[] {
  const { name, minDigits, needs = 0, keyword, standsAlone } = rule;
  const expression = `(?:${rule.shape})${NUMBER_END}`;

  function findWhere(flags: string, isNumber: (text: string, form: string, at: number) => boolean) {
    const search = new RegExp(expression, flags);
    return (text: string): TextMatch[] =>
      findAll(text, search, ({ 0: form, index }) => {
        if (!startsNumber(text, index)) return false;
        const compact = form.replace(SEPARATORS, "").toUpperCase();
        return !/^(.)\1*$/.test(compact) && rule.isValid(compact) && isNumber(text, form, index);
      });
  }

  const patterns: Pattern[] = [];
  if (standsAlone !== undefined) {
    const isDistinct = (form: string) => standsAlone === "always" || standsAlone.test(form);
    patterns.push(
      builtIn({ name, needs, minDigits, find: findWhere("g", (_text, form) => isDistinct(form)) }),
    );
  }
  if (keyword !== undefined) {
    const find = findWhere("gi", (text, _form, at) => hasKeywordBefore(text, at, keyword));
    patterns.push(builtIn({ name, needs: needs | FEATURE.named, minDigits, keyword, find }));
  }
  return patterns;
}
