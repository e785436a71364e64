import { replaceMatches, type Pattern, type TextMatch } from "./pattern.js";
import { createPatternSet } from "./pattern-set.js";
import { plainCharacters } from "./plain-characters.js";
import { FEATURE, isPlainProse } from "./text-features.js";
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
  const truncate = (text: string): string => truncateText(text, maxTextLength, findMatches);

  function findMatches(text: string): TextMatch[] {
    const searched = plainCharacters(text);
    return [
      ...builtIn.candidates(searched).flatMap(({ find }) => find(searched)),
      ...customPatterns.flatMap(({ find }) => find(text)),
    ];
  }

  /** @param searchedText - the text in the form in which the patterns look at it. */
  function run(patterns: readonly Pattern[], text: string, searchedText: string): Round {
    let result = text;
    let searched = searchedText;
    let isSettled = true;
    for (const pattern of patterns) {
      const matches = pattern.find(searched);
      if (matches.length === 0) continue;
      isSettled &&= matches.every((match) => standsApart(result, match));
      const isSame = searched === result;
      result = replaceMatches(result, matches, pattern.replacement);
      searched = isSame ? result : replaceMatches(searched, matches, pattern.replacement);
      onRedacted(pattern.name, matches.length);
    }
    return { text: result, isSettled: result === text || (isSettled && !patterns.some(goesByKeyword)) };
  }

  function runBuiltIn(text: string, label: string | undefined): Round {
    const prefix = label === undefined ? "" : `${label}: `;
    const searched = plainCharacters(prefix + text);
    const round = run(builtIn.candidates(searched), prefix + text, searched);
    return { ...round, text: round.text.slice(prefix.length) };
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
      const redacted = run(customPatterns, current, current).text;
      return redacted === current ? current : truncate(redacted);
    },
  };
}

function goesByKeyword({ needs }: Pattern): boolean {
  return (needs & FEATURE.named) !== 0;
}

/** A character beside which a word or a number ends, whatever stands there. */
const END_OF_WORD = /[\s"'`,;<>]/;

/** True where nothing beside a match could become one when it is gone. */
function standsApart(text: string, { start, end }: TextMatch): boolean {
  const before = text[start - 1];
  const behind = text[end];
  return (
    (before === undefined || END_OF_WORD.test(before)) && (behind === undefined || END_OF_WORD.test(behind))
  );
}
