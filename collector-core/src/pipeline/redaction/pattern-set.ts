import { MARGIN } from "./character-codes.js";
import { decodeEscapes } from "./escaped-characters.js";
import { KeywordBeginnings } from "./keyword-beginnings.js";
import { keywords, wordsOf } from "./keywords.js";
import type { Pattern } from "./pattern.js";
import { plainCharacters } from "./plain-characters.js";
import { FEATURE, textFeatures, type TextFeatures } from "./text-features.js";

/** A text that is ready for the patterns. */
export interface PreparedText {
  /** The decoded text, in ASCII characters where variants exist. */
  readonly searched: string;
  /** Position of each decoded character in the original text; undefined when the positions are equal. */
  readonly offsets: Int32Array | undefined;
  /** The patterns that may match, in order. */
  readonly candidates: readonly Pattern[];
}

/** An ordered set of patterns. */
export interface PatternSet {
  /** Decodes a text and selects the patterns that may match. */
  prepare(text: string): PreparedText;
  /** Returns the candidates that run after `pattern`. */
  after(pattern: Pattern, candidates: readonly Pattern[]): readonly Pattern[];
}

/** Patterns for texts with the same features. */
interface Selection {
  readonly candidates: readonly Pattern[];
  /** Candidates that need no keyword. */
  readonly unnamed: readonly Pattern[];
}

/** Cached selections. Few combinations of features are common. */
const MAX_SELECTIONS = 1000;

/** Creates a set of built-in patterns. */
export function createPatternSet(patterns: readonly Pattern[]): PatternSet {
  const words = wordsOf(patterns.filter(isNamed).flatMap((pattern) => pattern.keyword ?? []));
  const keyword = keywords(words);
  const beginnings = new KeywordBeginnings(words);
  const selections = new Map<number, Selection>();

  function select({ flags, digitSums }: TextFeatures): Selection {
    // Combines both in one number: the flags have 21 bits and the sums 32, which is all that a number holds.
    const key = flags * 2 ** 32 + (digitSums >>> 0);
    const cached = selections.get(key);
    if (cached !== undefined) return cached;
    const withName = flags | FEATURE.named;
    const candidates = patterns.filter(
      ({ needs, digits }) => (withName & needs) === needs && (digitSums & digits) !== 0,
    );
    const selection = { candidates, unnamed: candidates.filter((pattern) => !isNamed(pattern)) };
    if (selections.size >= MAX_SELECTIONS) selections.clear();
    selections.set(key, selection);
    return selection;
  }

  /**
   * Checks for a keyword before the last digit. The expression is expensive, so the filter by first letters comes
   * first.
   */
  function hasKeyword(text: string, { codes, digitsEnd }: TextFeatures): boolean {
    return beginnings.mayBeIn(codes, MARGIN, MARGIN + digitsEnd) && keyword.test(text.slice(0, digitsEnd));
  }

  return {
    prepare(text) {
      let searched = text;
      let features = textFeatures(text);
      let offsets: Int32Array | undefined;
      const decoded = features.mayHaveEscapes ? decodeEscapes(text) : undefined;
      if (decoded !== undefined) {
        searched = decoded.text;
        offsets = decoded.offsets;
        features = textFeatures(searched);
      }
      if (!features.isPlain) {
        searched = plainCharacters(searched);
        features = textFeatures(searched);
      }
      const { candidates, unnamed } = select(features);
      const isWithName = unnamed.length < candidates.length && hasKeyword(searched, features);
      return { searched, offsets, candidates: isWithName ? candidates : unnamed };
    },
    after(pattern, candidates) {
      const position = patterns.indexOf(pattern);
      return candidates.filter((candidate) => patterns.indexOf(candidate) > position);
    },
  };
}

/** True when a match needs a keyword. */
export function isNamed({ needs }: Pattern): boolean {
  return (needs & FEATURE.named) !== 0;
}
