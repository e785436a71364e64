import { matchesAt, replaceMatches, type Pattern, type TextMatch } from "./pattern.js";
import { createPatternSet, isNamed } from "./pattern-set.js";
import { SECRET_NAME } from "./patterns/assigned-secret.js";
import { isPlainProse } from "./text-features.js";
import { truncateText } from "./truncation.js";

/** What {@link createTextRedactor} needs. */
export interface TextRedactorOptions {
  /** `redaction.max_text_length`, in characters. */
  readonly maxTextLength: number;
  readonly builtInPatterns: readonly Pattern[];
  /** Run after the built-in ones, in order. */
  readonly customPatterns: readonly Pattern[];
  /** Told of the matches that were replaced (`obs_redactions_total{pattern}`). */
  readonly onRedacted: (pattern: string, matches: number) => void;
}

/** Redacts one text. Given the same text again, or its own result, it gives the same. */
export interface TextRedactor {
  /**
   * @param label - what the text is called, where that may say what it is: the key `ssn` of an object.
   * @returns the same text where there is nothing in it to redact.
   */
  redact(text: string, label?: string): string;
}

/**
 * How often the built-in patterns look again at what they left behind: a replacement is shorter or longer than what it
 * stands for, and may bring a number nearer to the word that says what it is, or set it free of what it stood beside.
 */
const MAX_ROUNDS = 5;

/** A text after one round. */
interface Round {
  readonly text: string;
  /** Another round would find nothing more. */
  readonly isSettled: boolean;
}

/** Truncates, then runs the built-in patterns, then the custom ones in order (spec 4.9 rule 4). */
export function createTextRedactor(options: TextRedactorOptions): TextRedactor {
  const { maxTextLength, builtInPatterns, customPatterns, onRedacted } = options;
  const builtIn = createPatternSet(builtInPatterns);
  const namesSecret = new Set(builtInPatterns.filter(({ replacement }) => SECRET_NAME.test(replacement)));
  const truncate = (text: string): string => truncateText(text, maxTextLength, findMatches);

  function findMatches(text: string): TextMatch[] {
    const { searched, places, candidates } = builtIn.prepare(text);
    return [
      ...candidates.flatMap(({ find }) => matchesAt(find(searched), places)),
      ...customPatterns.flatMap(({ find }) => find(text)),
    ];
  }

  function runBuiltIn(text: string, label: string | undefined): Round {
    const prefix = label === undefined ? "" : `${label}: `;
    let result = prefix + text;
    let { searched, places, candidates } = builtIn.prepare(result);
    let isSettled = true;
    for (let next = 0; next < candidates.length; next++) {
      const pattern = candidates[next] as Pattern;
      const found = pattern.find(searched);
      if (found.length === 0) continue;
      const matches = matchesAt(found, places);
      const standApart = matches.every((match) => standsApart(result, match));
      const isSame = searched === result;
      result = replaceMatches(result, matches, pattern.replacement);
      if (places !== undefined) ({ searched, places } = builtIn.prepare(result));
      else searched = isSame ? result : replaceMatches(searched, matches, pattern.replacement);
      onRedacted(pattern.name, matches.length);
      // What it left behind may be part of something else now, or the name of what follows: `[API_KEY]: …`.
      const isDone = standApart && !namesSecret.has(pattern);
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
      // Most texts are prose, and short.
      if (text.length <= maxTextLength && customPatterns.length === 0 && isPlainProse(text)) return text;
      let current = truncate(text);
      for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
        const round = runBuiltIn(current, label);
        // A replacement may be longer than what it replaces.
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

/** A character beside which a word or a number ends, whatever stands there. */
const END_OF_WORD = /[\s"'`,;<>]/;
/** But for another group of digits, which may be part of the number. */
const DIGIT = /\d/;

/** True where nothing beside a match could become one when it is gone. */
function standsApart(text: string, { start, end }: TextMatch): boolean {
  return endsBeside(text[start - 1], text[start - 2]) && endsBeside(text[end], text[end + 1]);
}

function endsBeside(neighbour: string | undefined, next: string | undefined): boolean {
  return (
    neighbour === undefined || (END_OF_WORD.test(neighbour) && (next === undefined || !DIGIT.test(next)))
  );
}
