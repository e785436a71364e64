import { RE2JS } from "re2js";
import { ANY_DIGITS } from "./digit-sums.js";
import type { Clock } from "../../interfaces.js";
import type { Pattern, TextMatch } from "./pattern.js";

/** A pattern of `REDACTION_CUSTOM_PATTERNS_JSON` (spec 2.6). */
export interface CustomPattern {
  /** Regular expression in RE2's syntax: no lookaround, no back references, and linear in time for it. */
  readonly pattern: string;
  /** Stands in the place of a match, as it is: `$&` and `$1` are text. */
  readonly replacement: string;
}

/** What {@link compileCustomPattern} needs beside the pattern. */
export interface CustomPatternOptions {
  /** Among the custom patterns, from 1: it is counted as `custom_<position>`. */
  readonly position: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * One search is linear in the length of the text, all searches from match to match need not be: `a.*?b|a` over a text of
 * `a` looks at what is left of it for each. So long they may take together for one text; then redaction of the span has failed.
 */
const MAX_SEARCH_MS = 1000;

/**
 * Makes a pattern of a custom one.
 *
 * @throws where RE2 does not take it, with the reason.
 */
export function compileCustomPattern(
  { pattern, replacement }: CustomPattern,
  { position, clock }: CustomPatternOptions,
): Pattern {
  if (pattern === "") throw new Error("it is empty");
  const expression = compile(pattern);
  const name = `custom_${position}`;
  return {
    name,
    replacement,
    needs: 0,
    digits: ANY_DIGITS,
    find(text) {
      const found: TextMatch[] = [];
      const matcher = expression.matcher(text);
      const deadlineMs = clock.monotonic() + MAX_SEARCH_MS;
      while (matcher.find()) {
        if (clock.monotonic() > deadlineMs)
          throw new Error(`${name} took more than ${MAX_SEARCH_MS} ms for one text`);
        const match = { start: matcher.start(), end: matcher.end() };
        if (match.end > match.start) found.push(match);
      }
      return found;
    },
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(reason.replace(/^error parsing regexp: /, ""), { cause: error });
  }
}
