import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldCase, foldsInto, partialFoldings } from "../../../../src/store/memory/search/case-folding.js";
import { MAX_MATCH_BYTES } from "../../../../src/store/memory/search/json-text-pattern.js";
import { JsonTextSearch } from "../../../../src/store/memory/search/json-text-search.js";
import { randomRuns } from "../../../random-runs.js";

/** Ways to write the same JSON, as serializers of other languages do. */
const WRITERS: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify({ text }),
  (text) => escapeAll(JSON.stringify({ text }), /[^\x20-\x7e]/g),
  (text) => escapeAll(JSON.stringify({ text }), /[<>&'+]|[^\x20-\x7e]/g).replaceAll("/", "\\/"),
  (text) => `{"text":"${escapeAll(text, /./gsu)}"}`,
];

function escapeAll(json: string, what: RegExp): string {
  return json.replace(what, (unit) =>
    [...Array(unit.length).keys()]
      .map((at) => `\\u${unit.charCodeAt(at).toString(16).padStart(4, "0").toUpperCase()}`)
      .join(""),
  );
}

function finds(text: string, json: string, pieceBytes?: number): boolean {
  const search = new JsonTextSearch([foldCase(text)], pieceBytes);
  const bytes = Buffer.from(json);
  let at: number | undefined = 0;
  while (at !== undefined && at < bytes.length) at = search.passOver(bytes, at, bytes.length);
  return at === undefined;
}

/** Whose case folds into several, or of several into one; what JSON escapes, or some writers do. */
const CHARACTERS = "aAsSkKiIfFtTnN ßẞſKıİﬁﬅŉéÉçΣσςЁё東京🎉\"\\/\n\t\u0001<&'+=";
const characters = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Array.from(CHARACTERS)) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
);
const texts = fc.array(characters, { maxLength: 12 }).map((each) => each.join(""));

describe("the search for a text in the bytes of JSON", () => {
  it("finds every text that is there, in any letter case and however it is written", () => {
    fc.assert(
      fc.property(texts, texts, texts, fc.constantFrom(...WRITERS.keys()), (before, text, after, writer) => {
        const whole = before + text + after;
        fc.pre(text !== "" && foldCase(whole).includes(foldCase(text)));
        const json = WRITERS[writer]?.(whole) ?? "";
        expect(JSON.parse(json)).toEqual({ text: whole });
        for (const wanted of [text, text.toUpperCase(), text.toLowerCase()])
          expect(finds(wanted, json), `${JSON.stringify(wanted)} in ${json}`).toBe(true);
      }),
      { seed: 20261121, numRuns: randomRuns(1000) },
    );
  });

  it("passes over keys, and over most of what is not there", () => {
    const json = JSON.stringify({
      session_id: "x",
      nested: { "order id": 'say "order"' },
      name: "plan trip",
    });
    for (const text of ["session", "session_id", "nested", "order id", "name", "lisbon", "plan  trip"]) {
      expect(finds(text, json), text).toBe(false);
    }
    for (const text of ["plan", "TRIP", "order", 'say "ORDER"', "n t"])
      expect(finds(text, json), text).toBe(true);
  });

  it("finds every text between keys and values that look alike, wherever a piece ends", () => {
    const values = fc.oneof(texts, fc.constantFrom(":", '":', '\\":1,', "\\\\", "a".repeat(40), 'aaa":aaa'));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(values, values), { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        fc.nat(40),
        fc.integer({ min: 1, max: 64 }),
        (members, which, from, length, extra) => {
          const value = members[which % members.length]?.[1] ?? "";
          const characters = Array.from(value);
          const begin = from % Math.max(1, characters.length);
          const text = characters.slice(begin, begin + 1 + length).join("");
          fc.pre(text !== "" && foldCase(value).includes(foldCase(text)));
          const json = `{${members.map((each) => each.map((one) => JSON.stringify(one)).join(": ")).join()}}`;
          expect(finds(text, json, MAX_MATCH_BYTES + extra), `${JSON.stringify(text)} in ${json}`).toBe(true);
        },
      ),
      { seed: 20261122, numRuns: randomRuns(1000) },
    );
  });

  it("passes over a key of any length, and over thousands of them, wherever a piece ends", () => {
    for (const length of [10, 62, 65, 5000]) {
      const json = `[${`{"${"a".repeat(length)}" : 1},`.repeat(100)}"b"]`;
      for (const pieceBytes of [MAX_MATCH_BYTES + 1, 1000, 64 * 1024]) {
        expect(finds("aaa", json, pieceBytes), `${length}, ${pieceBytes}`).toBe(false);
        expect(finds("b", json, pieceBytes), `${length}, ${pieceBytes}`).toBe(true);
      }
    }
  });

  it("reads megabytes of keys that match in pieces, between which others can have their turn", () => {
    const json = Buffer.from(`[${`{"${"a".repeat(62)}":1},`.repeat(15_000)}1]`);
    const search = new JsonTextSearch([foldCase("aaa")]);
    let pieces = 0;
    let at: number | undefined = 0;
    while (at !== undefined && at < json.length) {
      at = search.passOver(json, at, json.length);
      pieces++;
    }
    expect(at).toBe(json.length);
    expect(pieces).toBeGreaterThan(14);
  });

  it("finds a value that looks like a key inside its quotes", () => {
    for (const value of ['needle":', 'needle"', "needle:", '"needle": 1', 'a "needle" : b']) {
      expect(finds("needle", JSON.stringify({ value })), value).toBe(true);
    }
  });
});

describe("what folds into a character", () => {
  it("is known of every letter that Unicode has", () => {
    const unknown = Array.from({ length: 0x110000 - 0x80 }, (_, index) => String.fromCodePoint(index + 0x80))
      .filter(
        (character) => /\p{Changes_When_Casemapped}/u.test(character) && foldCase(character) !== character,
      )
      .filter((character) => {
        const folded = foldCase(character);
        return !foldsInto(folded).includes(character) && !partialFoldings(folded).includes(character);
      });
    expect(unknown).toEqual([]);
  });
});
