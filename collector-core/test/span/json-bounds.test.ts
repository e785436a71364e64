import { describe, expect, it } from "vitest";
import { exceededBound, MAX_RARE_KEYS, SHORTEST_SCANNED } from "../../src/span/json-bounds.js";
import { closingQuoteOrEnd, wordsOf } from "../../src/span/json-bytes.js";

const BOUNDS = { maxDepth: 8, maxContainers: 1_000_000 };

/** A text behind so much white space that it is looked at. */
const scanned = (text: string): Buffer => Buffer.from(text.padStart(SHORTEST_SCANNED + text.length, " "));

function objectOf(keys: number): string {
  return `{${Array.from({ length: keys }, (_, index) => `"key.${index.toString(36)}":1`).join(",")}}`;
}

/** Every text of so many of three characters: one that means nothing, a quote and a backslash. */
function* texts(length: number): Generator<string> {
  for (let number = 0; number < 3 ** length; number++)
    yield number.toString(3).padStart(length, "0").replaceAll("1", '"').replaceAll("2", "\\");
}

function endByCharacter(text: string, opened: number): number {
  for (let at = opened + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === "\\") at++;
  }
  return text.length;
}

describe("the end of a string in bytes that need not be JSON", () => {
  it("is the closing quote, or the end of the bytes, for every combination of quotes and backslashes", () => {
    for (let length = 0; length <= 8; length++)
      for (const text of texts(length)) {
        const bytes = Buffer.from(`"${text}`);
        expect(closingQuoteOrEnd(bytes, wordsOf(bytes), 0)).toBe(endByCharacter(`"${text}`, 0));
      }
  });

  it("is found in bytes that are a part of others", () => {
    const bytes = Buffer.from('x"abcdefg"y"').subarray(1, 9);
    expect(closingQuoteOrEnd(bytes, wordsOf(bytes), 0)).toBe(bytes.length);
  });
});

describe("the bounds of a JSON text", () => {
  it("are looked for beside strings and not in them", () => {
    expect(exceededBound(scanned(`["${"[".repeat(100)}\\"[["]`), BOUNDS)).toBeUndefined();
    expect(exceededBound(scanned(`["\\\\",${"[".repeat(8)}`), BOUNDS)).toBe("depth");
  });

  it.each(["[{", '{"a":"', '{"a":"b\\', '"abc', '"', '\\"'])(
    "are not exceeded by what breaks off: %s",
    (text) => {
      expect(exceededBound(scanned(text), BOUNDS)).toBeUndefined();
    },
  );

  it("count no key that is met often, and most keys that are rare", () => {
    const few = objectOf(1000);
    expect(exceededBound(scanned(`[${Array.from({ length: 400 }, () => few).join(",")}]`), BOUNDS)).toBe(
      undefined,
    );
    // The first thousand are common, and the first rare one of an object counts three times.
    expect(exceededBound(scanned(objectOf(MAX_RARE_KEYS)), BOUNDS)).toBeUndefined();
    // Keys whose hashes fall together are not counted: the text is far beyond the bound.
    expect(exceededBound(scanned(objectOf(MAX_RARE_KEYS * 2)), BOUNDS)).toBe("keys");
  });
});
