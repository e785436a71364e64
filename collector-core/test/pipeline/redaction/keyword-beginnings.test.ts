import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { characterCodes, MARGIN } from "../../../src/pipeline/redaction/character-codes.js";
import { KeywordBeginnings } from "../../../src/pipeline/redaction/keyword-beginnings.js";
import { wordsOf } from "../../../src/pipeline/redaction/keywords.js";
import { randomRuns } from "../../random-runs.js";

const keywords = BUILT_IN_PATTERNS.flatMap(({ keyword }) => (keyword === undefined ? [] : [keyword]));
const words = wordsOf(keywords);

function mayHave(beginnings: KeywordBeginnings, text: string): boolean {
  return beginnings.mayBeIn(characterCodes(text), MARGIN, MARGIN + text.length);
}

describe("the beginnings of the keywords", () => {
  it("match every keyword, in lower and upper case, at any position", () => {
    const beginnings = new KeywordBeginnings(words);
    fc.assert(
      fc.property(
        fc.stringMatching(new RegExp(`^(?:${words})$`)),
        fc.constantFrom("", "of ", "user_", "(", "7. "),
        fc.boolean(),
        (word, before, isCapital) => {
          const text = `${before}${isCapital ? word.toUpperCase() : word} 123`;
          expect(mayHave(beginnings, text), text).toBe(true);
        },
      ),
      { seed: 20261121, numRuns: randomRuns(500) },
    );
  });

  it("match few other words", () => {
    const beginnings = new KeywordBeginnings(words);
    expect(mayHave(beginnings, "On 2026-11-21 order 20261121-0042 of alice@example.com came: 3 items")).toBe(
      false,
    );
  });

  it.each([
    ["(?:tele)?phone|ic (?:number|no)", ["telephone", "phone", "ic no"], ["ten", "peach", "icy"]],
    [String.raw`t\.?c\.? ?kimlik|f[øo]dsel|ni`, ["t.c. kimlik", "tckimlik", "fodsel", "nix"], ["tea", "fed"]],
  ])("of %s", (source, present, absent) => {
    const beginnings = new KeywordBeginnings(source);
    for (const text of present) expect(mayHave(beginnings, text), text).toBe(true);
    for (const text of absent) expect(mayHave(beginnings, text), text).toBe(false);
  });
});
