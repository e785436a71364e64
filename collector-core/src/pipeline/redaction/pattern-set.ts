import { MARGIN } from "./character-codes.js";
import { decodeEscapes } from "./escaped-characters.js";
import { KeywordBeginnings } from "./keyword-beginnings.js";
import { keywords, wordsOf } from "./keywords.js";
import type { Pattern } from "./pattern.js";
import { plainCharacters } from "./plain-characters.js";
import { FEATURE, textFeatures, type TextFeatures } from "./text-features.js";

/** A text, and what may be found in it. */
export interface PreparedText {
  /** The text in the form in which the patterns look at it. */
  readonly searched: string;
  /** Where each of its characters stands in the text; undefined where both have the same places. */
  readonly places: Int32Array | undefined;
  /** The patterns that may have a match in it, in the order in which they run. */
  readonly candidates: readonly Pattern[];
}

/** Patterns, in the order in which they run. */
export interface PatternSet {
  /** Looks at what a text has in it. */
  prepare(text: string): PreparedText;
  /** Of the candidates those that run after a pattern of the set. */
  after(pattern: Pattern, candidates: readonly Pattern[]): readonly Pattern[];
}

/** What texts of one kind need. */
interface Selection {
  readonly candidates: readonly Pattern[];
  /** Of these, what is left where no word says what a number is. */
  readonly unnamed: readonly Pattern[];
}

/** Selections that are remembered: few kinds of texts come again and again. */
const MAX_SELECTIONS = 1000;

/** A set of built-in patterns. */
export function createPatternSet(patterns: readonly Pattern[]): PatternSet {
  const words = wordsOf(patterns.filter(isNamed).flatMap((pattern) => pattern.keyword ?? []));
  const keyword = keywords(words);
  const beginnings = new KeywordBeginnings(words);
  const selections = new Map<number, Selection>();

  function select({ flags, digitSums }: TextFeatures): Selection {
    // Both in one number: the flags are few, and the sums have 32 bits.
    const kind = flags * 2 ** 32 + (digitSums >>> 0);
    const known = selections.get(kind);
    if (known !== undefined) return known;
    const withName = flags | FEATURE.named;
    const candidates = patterns.filter(
      ({ needs, digits }) => (withName & needs) === needs && (digitSums & digits) !== 0,
    );
    const selection = { candidates, unnamed: candidates.filter((pattern) => !isNamed(pattern)) };
    if (selections.size >= MAX_SELECTIONS) selections.clear();
    selections.set(kind, selection);
    return selection;
  }

  /** The words are what is dearest to look for. They stand before the number that they name. */
  function hasKeyword(text: string, { codes, digitsEnd }: TextFeatures): boolean {
    return beginnings.mayBeIn(codes, MARGIN, MARGIN + digitsEnd) && keyword.test(text.slice(0, digitsEnd));
  }

  return {
    prepare(text) {
      let searched = text;
      let features = textFeatures(text);
      let places: Int32Array | undefined;
      const decoded = features.mayHaveEscapes ? decodeEscapes(text) : undefined;
      if (decoded !== undefined) {
        searched = decoded.text;
        places = decoded.places;
        features = textFeatures(searched);
      }
      if (!features.isPlain) {
        searched = plainCharacters(searched);
        features = textFeatures(searched);
      }
      const { candidates, unnamed } = select(features);
      const isWithName = unnamed.length < candidates.length && hasKeyword(searched, features);
      return { searched, places, candidates: isWithName ? candidates : unnamed };
    },
    after(pattern, candidates) {
      const position = patterns.indexOf(pattern);
      return candidates.filter((candidate) => patterns.indexOf(candidate) > position);
    },
  };
}

/** True where a match needs a word that says what it is. */
export function isNamed({ needs }: Pattern): boolean {
  return (needs & FEATURE.named) !== 0;
}
