import { RE2JS } from "re2js";
import { errorMessage } from "../../runtime/describe-error.js";
import { ANY_DIGITS } from "./digit-sums.js";
import type { Clock } from "../../runtime/clock.js";
import type { Pattern, TextMatch } from "./pattern.js";
import { TimeBudget } from "./time-budget.js";

/** A pattern of `REDACTION_CUSTOM_PATTERNS_JSON` (spec 2.6). */
export interface CustomPattern {
  /** Regular expression in RE2 syntax: linear in time, without lookarounds and back references. */
  readonly pattern: string;
  /** Replaces each match literally: `$&` and `$1` are text. */
  readonly replacement: string;
}

/** Options of {@link compileCustomPattern}. */
export interface CustomPatternOptions {
  /** Position among the custom patterns, from 1. The pattern is named `custom_<position>`. */
  readonly position: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Compiles a custom pattern.
 *
 * @throws with the reason when RE2 rejects the expression.
 */
export function compileCustomPattern(
  { pattern, replacement }: CustomPattern,
  { position, clock }: CustomPatternOptions,
): Pattern {
  if (pattern === "") throw new Error("the pattern is empty");
  const expression = compile(pattern);
  const name = `custom_${position}`;
  const budget = new TimeBudget(name, clock);
  return {
    name,
    replacement,
    needs: 0,
    digits: ANY_DIGITS,
    find(text) {
      // One search is linear in the length of the text. All searches together can be quadratic: in a text of `a`,
      // each search for `a.*?b|a` reads the whole rest of the text.
      budget.begin(text.length);
      const found: TextMatch[] = [];
      const matcher = expression.matcher(text);
      while (matcher.find()) {
        budget.check(text.length);
        const match = { start: matcher.start(), end: matcher.end() };
        if (match.end > match.start) found.push(match);
      }
      budget.check(text.length);
      return found;
    },
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(reason.replace(/^error parsing regexp: /, ""), { cause: error });
  }
}
