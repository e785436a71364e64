import { anyOf } from "./keywords.js";
import type { Pattern } from "./pattern.js";
import { FEATURE, textFeatures } from "./text-features.js";

/** Patterns, in the order in which they run. */
export interface PatternSet {
  /** Those that may have a match in a text, by what the text has in it. */
  candidates(text: string): readonly Pattern[];
}

/** A set of built-in patterns. */
export function createPatternSet(patterns: readonly Pattern[]): PatternSet {
  const named = patterns.filter(({ needs }) => (needs & FEATURE.named) !== 0);
  const keyword = anyOf(named.flatMap((pattern) => pattern.keyword ?? []));
  return {
    candidates(text) {
      const { flags, digits } = textFeatures(text, keyword);
      return patterns.filter(({ needs, minDigits }) => (flags & needs) === needs && digits >= minDigits);
    },
  };
}
