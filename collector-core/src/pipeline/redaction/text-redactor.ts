import { mapMatches, replaceMatches, type Pattern, type TextMatch } from "./pattern.js";
import { createPatternSet, isNamed } from "./pattern-set.js";
import { SECRET_NAME } from "./patterns/assigned-secret.js";
import { isPlainProse } from "./text-features.js";
import { truncateText } from "./truncation.js";

/** Options of {@link createTextRedactor}. */
export interface TextRedactorOptions {
  /** `redaction.max_text_length`, in characters. */
  readonly maxTextLength: number;
  readonly builtInPatterns: readonly Pattern[];
  /** Run in order, after the built-in patterns. */
  readonly customPatterns: readonly Pattern[];
  /** Called with the number of replaced matches (`obs_redactions_total{pattern}`). */
  readonly onRedacted: (pattern: string, matches: number) => void;
}

/** Redacts a single text. Redaction is deterministic and idempotent. */
export interface TextRedactor {
  /**
   * @param label - name of the text when it helps to identify the content, such as the object key `ssn`.
   * @returns the same text when there is nothing to redact.
   */
  redact(text: string, label?: string): string;
}

/**
 * Maximum number of rounds of the built-in patterns. A replacement changes lengths and neighbours, so that a number
 * can move closer to its keyword or become a separate word. The next round finds it.
 */
const MAX_ROUNDS = 5;

/** Result of one round. */
interface Round {
  readonly text: string;
  /** True when another round would find nothing. */
  readonly isSettled: boolean;
}

/**
 * Creates a redactor that truncates, then runs the built-in patterns, then the custom patterns in order (spec 4.9
 * rule 4).
 */
export function createTextRedactor(options: TextRedactorOptions): TextRedactor {
  const { maxTextLength, builtInPatterns, customPatterns, onRedacted } = options;
  const builtIn = createPatternSet(builtInPatterns);
  const namesSecret = new Set(builtInPatterns.filter(({ replacement }) => SECRET_NAME.test(replacement)));
  const truncate = (text: string): string => truncateText(text, maxTextLength, findMatches);

  function findMatches(text: string): TextMatch[] {
    const { searched, offsets, candidates } = builtIn.prepare(text);
    return [
      ...candidates.flatMap(({ find }) => mapMatches(find(searched), offsets)),
      ...customPatterns.flatMap(({ find }) => find(text)),
    ];
  }

  function runBuiltIn(text: string, label: string | undefined): Round {
    const prefix = label === undefined ? "" : `${label}: `;
    let result = prefix + text;
    let { searched, offsets, candidates } = builtIn.prepare(result);
    let isSettled = true;
    for (let next = 0; next < candidates.length; next++) {
      const pattern = candidates[next] as Pattern;
      const found = pattern.find(searched);
      if (found.length === 0) continue;
      const matches = mapMatches(found, offsets);
      const areIsolated = matches.every((match) => isIsolated(result, match));
      const isSame = searched === result;
      result = replaceMatches(result, matches, pattern.replacement);
      if (offsets !== undefined) ({ searched, offsets } = builtIn.prepare(result));
      else searched = isSame ? result : replaceMatches(searched, matches, pattern.replacement);
      onRedacted(pattern.name, matches.length);
      // The remaining text may now form another match, or the replacement may name the next text: `[API_KEY]: …`.
      const isDone = areIsolated && !namesSecret.has(pattern);
      isSettled &&= isDone && !candidates.some(isNamed);
      if (!isDone) {
        candidates = builtIn.after(pattern, builtIn.prepare(searched).candidates);
        next = -1;
      }
    }
    return { text: result.slice(prefix.length), isSettled };
  }

  function runCustom(text: string): string {
    let result = text;
    for (const pattern of customPatterns) {
      const matches = pattern.find(result);
      if (matches.length === 0) continue;
      result = replaceMatches(result, matches, pattern.replacement);
      onRedacted(pattern.name, matches.length);
    }
    return result;
  }

  return {
    redact(text, label) {
      // Fast path: most texts are short prose.
      if (text.length <= maxTextLength && customPatterns.length === 0 && isPlainProse(text)) return text;
      let current = truncate(text);
      for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
        const round = runBuiltIn(current, label);
        // A replacement can be longer than its match.
        const next = round.text === current ? current : truncate(round.text);
        const isSettled = round.isSettled && next === round.text;
        current = next;
        if (isSettled) break;
      }
      if (customPatterns.length === 0) return current;
      const redacted = runCustom(current);
      return redacted === current ? current : truncate(redacted);
    },
  };
}

/** Characters that always separate words and numbers, unless another group of digits follows. */
const SEPARATOR = /[\s"'`,;<>]/;
const DIGIT = /\d/;

/** True when the removal of a match cannot create a new match with its neighbours. */
function isIsolated(text: string, { start, end }: TextMatch): boolean {
  return isSeparated(text[start - 1], text[start - 2]) && isSeparated(text[end], text[end + 1]);
}

function isSeparated(neighbour: string | undefined, next: string | undefined): boolean {
  return neighbour === undefined || (SEPARATOR.test(neighbour) && (next === undefined || !DIGIT.test(next)));
}
