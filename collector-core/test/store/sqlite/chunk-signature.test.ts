import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldCase } from "../../../src/store/memory/search/case-folding.js";
import { JsonTextSearch } from "../../../src/store/memory/search/json-text-search.js";
import {
  FOLDED_INTO_ASCII,
  signatureOf,
  SignatureQuery,
} from "../../../src/store/sqlite/records/chunk-signature.js";
import { randomRuns } from "../../random-runs.js";

/** Characters with a role in JSON, in case folding, and in the division into runs. */
const CHARACTERS = [
  ...Array.from("abcKkSsIi 09/\\\"'<&-_éÉüßẞﬁﬃſıİKǰŉẖÅå你😀\u0301\n\t\u0000\u007f"),
  "\ud800",
];
const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 24 }).map((parts) => parts.join(""));

/** Spells a JSON string as any writer may: each code unit plain, with a short escape or with a long one. */
function spell(value: string, choices: readonly number[]): string {
  let json = "";
  let used = 0;
  for (const character of value) {
    const choice = choices[used++ % choices.length] ?? 0;
    const short = JSON.stringify(character).slice(1, -1);
    if (choice === 0) json += short;
    else if (choice === 1 && character === "/") json += "\\/";
    else {
      for (let unit = 0; unit < character.length; unit++) {
        const hex = character.charCodeAt(unit).toString(16).padStart(4, "0");
        json += `\\u${choice === 2 ? hex : hex.toUpperCase()}`;
      }
    }
  }
  return `"${json}"`;
}

function mayContain(raw: Buffer, ...texts: string[]): boolean {
  return new SignatureQuery(texts.map(foldCase)).mayContain(signatureOf(raw));
}

describe("the signature of a chunk", () => {
  it("never excludes a text that a string of the chunk has, however the string is written", () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.constantFrom(0, 0, 0, 1, 2, 3), { minLength: 1, maxLength: 7 }),
        fc.nat(),
        fc.nat({ max: 20 }),
        (value, choices, from, length) => {
          const raw = Buffer.from(`{"spans":[{"name":${spell(value, choices)}}]}`);
          const read = (JSON.parse(raw.toString()) as { spans: { name: string }[] }).spans[0]?.name ?? "";
          const folded = foldCase(read);
          const start = folded.length === 0 ? 0 : from % folded.length;
          const part = folded.slice(start, start + 1 + length);
          if (part !== "") expect(new SignatureQuery([part]).mayContain(signatureOf(raw))).toBe(true);
        },
      ),
      { numRuns: randomRuns(1250) },
    );
  });

  it("excludes no chunk in which the search of plain JSON finds a text", () => {
    const words = fc.stringMatching(/^[a-zA-Z0-9 .,:{}[\]é'-]{4,30}$/);
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.nat(),
        (values, which, cut) => {
          const raw = Buffer.from(JSON.stringify({ spans: values.map((name) => ({ name })) }));
          const value = values[which % values.length] ?? "";
          const part = foldCase(value.slice(cut % 3, (cut % 3) + 32));
          if (part === "") return;
          expect(new JsonTextSearch([part]).passOver(raw, 0, raw.length)).toBeUndefined();
          expect(new SignatureQuery([part]).mayContain(signatureOf(raw))).toBe(true);
        },
      ),
    );
  });

  it("never excludes an integer, with or without an exponent and a fraction of zeros", () => {
    const integer = fc.integer({ min: -(10 ** 12), max: 10 ** 12 });
    const spellings = [
      (n: number): string => String(n),
      (n: number): string => `${n}.00`,
      (n: number): string => n.toExponential(),
      (n: number): string => `${n * 1000}E-3`,
      (n: number): string => n.toExponential().replace("e+", "e+0"),
    ];
    fc.assert(
      fc.property(
        integer,
        fc.constantFrom(...spellings),
        fc.constantFrom("", " ", "\n"),
        (n, spell, space) => {
          const raw = Buffer.from(`{"spans":[{"a":${space}${spell(n)}},{"b":[1,${spell(n)}]}]}`);
          expect(JSON.parse(raw.toString())).toMatchObject({ spans: [{ a: n }, {}] });
          expect(new SignatureQuery([String(n)], true).mayContain(signatureOf(raw)), raw.toString()).toBe(
            true,
          );
        },
      ),
    );
    const without = Buffer.from('{"spans":[{"id":"3e4b1e5","a":4711,"text":"a1e5"}]}');
    expect(new SignatureQuery(["4712"], true).mayContain(signatureOf(without))).toBe(false);
    expect(new SignatureQuery(["4711"], true).mayContain(signatureOf(without))).toBe(true);
  });

  it("knows every character that folds into ASCII", () => {
    const found = [];
    for (let code = 0x80; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      if (/[\0-\x7f]/.test(foldCase(String.fromCodePoint(code)))) found.push(code);
    }
    expect([...FOLDED_INTO_ASCII.keys()].sort((a, b) => a - b)).toEqual(found);
  });

  it("excludes what a chunk does not have", () => {
    const raw = Buffer.from(JSON.stringify({ spans: [{ name: "The quick brown fox" }] }));
    expect(mayContain(raw, "QUICK b")).toBe(true);
    expect(mayContain(raw, "lazy dog")).toBe(false);
    expect(mayContain(raw, "quick fox")).toBe(false);
    expect(mayContain(raw, "lazy dog", "brown")).toBe(true);
  });

  it("excludes nothing for a text without four plain characters in a row, nor without a signature", () => {
    const raw = Buffer.from('{"name":"x"}');
    expect(mayContain(raw, "fox")).toBe(true);
    expect(mayContain(raw, "a/b/c/d")).toBe(true);
    expect(new SignatureQuery([foldCase("fox")]).isSelective).toBe(false);
    expect(new SignatureQuery([foldCase("foxes")]).mayContain(null)).toBe(true);
    expect(signatureOf(Buffer.alloc(2 ** 20 + 1))).toBeNull();
  });

  it("reads escapes and ligatures as the characters that they are", () => {
    for (const [json, query] of [
      ["Stra\\u00DFe", "STRASSE"],
      ["of\ufb01cial", "official"],
      ["it\\u0027s fine", "it's fine"],
      ["\\u003cdiv\\u003e", "<div>"],
      ["path\\\\u0041bc", "u0041bc"],
      ["\u212aelvin", "kelvin"],
    ] as const) {
      const raw = Buffer.from(`{"name":"${json}"}`);
      expect(mayContain(raw, query), query).toBe(true);
    }
    expect(mayContain(Buffer.from('{"name":"Stra\\u00dfe"}'), "strase")).toBe(false);
  });
});
