import { anyOf } from "./keywords.js";
import type { Pattern } from "./pattern.js";
import { FEATURE, textFeatures, type TextFeatures } from "./text-features.js";

/** Patterns, in the order in which they run. */
export interface PatternSet {
  /** Those that may have a match in a text, by what the text has in it. */
  candidates(text: string): readonly Pattern[];
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
  const keyword = anyOf(patterns.filter(isNamed).flatMap((pattern) => pattern.keyword ?? []));
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

  return {
    candidates(text) {
      const features = textFeatures(text);
      const { candidates, unnamed } = select(features);
      // The words are what is dearest to look for. They stand before the number that they name.
      const mayBeNamed = unnamed.length < candidates.length;
      return mayBeNamed && keyword.test(text.slice(0, features.digitsEnd)) ? candidates : unnamed;
    },
  };
}

/** True where a match needs a word that says what it is. */
function isNamed({ needs }: Pattern): boolean {
  return (needs & FEATURE.named) !== 0;
}
