import { BUILT_IN_PATTERNS } from "./built-in-patterns.js";
import { REPLACEMENT_TAG } from "./pattern.js";
import { createTextRedactor } from "./text-redactor.js";

/** Counts the personal data and secrets in a text by pattern name. */
export type FindPersonalData = (text: string) => ReadonlyMap<string, number>;

/** Creates a finder that counts matches of the built-in patterns, and replacements of earlier matches. */
export function createPersonalDataFinder(): FindPersonalData {
  let found = new Map<string, number>();
  const add = (kind: string, count: number): void => void found.set(kind, (found.get(kind) ?? 0) + count);
  const redactor = createTextRedactor({
    maxTextLength: Number.MAX_SAFE_INTEGER,
    builtInPatterns: BUILT_IN_PATTERNS,
    customPatterns: [],
    onRedacted: add,
  });
  const kindOfTag = new Map(BUILT_IN_PATTERNS.map(({ name, replacement }) => [replacement, name]));
  return (text) => {
    found = new Map();
    for (const [tag] of text.matchAll(REPLACEMENT_TAG)) {
      const kind = kindOfTag.get(tag);
      if (kind !== undefined) add(kind, 1);
    }
    redactor.redact(text);
    return found;
  };
}
