import type { Pattern } from "./pattern.js";
import { isSecretKey, SECRET_NAME } from "./patterns/assigned-secret.js";

/** What the key of an object says about the text that stands under it. */
export interface KeyMeaning {
  /** The text is secret whatever it looks like. */
  readonly isSecret: boolean;
  /** What to read before the text, where a pattern knows the word: `ssn` for `userSSN`. */
  readonly label: string | undefined;
}

/** Keys that are remembered; a service has few, and most come again with its next span. */
const MAX_KNOWN_KEYS = 2000;
const NO_MEANING: KeyMeaning = { isSecret: false, label: undefined };

/** Reads keys by the words that the patterns know. */
export function createKeyReader(patterns: readonly Pattern[]): (key: string) => KeyMeaning {
  const keywords = [SECRET_NAME, ...patterns.flatMap(({ keyword }) => keyword ?? [])];
  const known = new Map<string, KeyMeaning>();

  function read(key: string): KeyMeaning {
    if (isSecretKey(key)) return { isSecret: true, label: undefined };
    const words = wordsOf(key);
    return keywords.some((keyword) => keyword.test(words)) ? { isSecret: false, label: words } : NO_MEANING;
  }

  return (key) => {
    if (key === "") return NO_MEANING;
    let meaning = known.get(key);
    if (meaning === undefined) {
      if (known.size >= MAX_KNOWN_KEYS) known.clear();
      meaning = read(key);
      known.set(key, meaning);
    }
    return meaning;
  };
}

/** Only letters, so that no pattern finds anything in the words themselves: `user_SSN2` is `user SSN`. */
function wordsOf(key: string): string {
  return key
    .slice(-64)
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/[^\p{L}\p{M}]+/gu, " ")
    .trim();
}
