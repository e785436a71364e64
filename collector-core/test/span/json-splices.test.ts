import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  copySpliced,
  findBatchSplices,
  findSplices,
  splicedLength,
  type SplicedJson,
} from "../../src/span/json-splices.js";
import { randomRuns } from "../random-runs.js";

/** The JSON with its splices, which must be as long as was said. */
function written(json: SplicedJson): string {
  const length = splicedLength(json);
  const target = Buffer.alloc(length + 2, "#");
  copySpliced(json, target, 1);
  expect(target.toString("latin1", 0, 1) + target.toString("latin1", length + 1)).toBe("##");
  return target.toString("utf8", 1, length + 1);
}

function spliced(text: string, before: unknown, after: unknown): string | undefined {
  const bytes = Buffer.from(text);
  const splices = findSplices(bytes, 0, before, after);
  return splices && written({ bytes, start: 0, end: bytes.length, splices });
}

/** As redaction does it: what does not change stays the same object, and keys inside may change too. */
function redacted(value: unknown): unknown {
  if (typeof value === "string")
    return value.includes("a") ? value.replaceAll("a", '[é"\\\n\ud83d\ude00]') : value;
  if (typeof value === "number") return Math.abs(value) > 1000 ? `[${value}]` : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const mapped = value.map(redacted);
    return mapped.some((each, index) => each !== value[index]) ? mapped : value;
  }
  const entries = Object.entries(value);
  const mapped = entries.map(([key, each]) => [key.replace("secret", "hidden"), redacted(each)] as const);
  const isSame = mapped.every(
    ([key, each], index) => key === entries[index]?.[0] && each === entries[index][1],
  );
  return isSame ? value : Object.fromEntries(mapped);
}

const space = fc.constantFrom("", "", "", " ", "\n\t", " \r\n ");
/** Any way to write a character in a JSON string. */
const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "1", " ", ":", ",", "{", "}", "[", "]") },
  fc.constantFrom('\\"', "\\\\", "\\/", "\\n", "\\u0061", "\\u0022", "\\u005c", "\\ud83d\\ude00", "\\ud800"),
  fc.constantFrom("é", "价", "😀", "\u2028"),
);
const stringText = fc.array(character, { maxLength: 8 }).map((characters) => `"${characters.join("")}"`);
const keyText = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('"k"', '"key"', '"text"', '"secret"', '"spans"') },
  fc.constantFrom(
    '"__proto__"',
    '"7"',
    '"0"',
    '"constructor"',
    '""',
    '"\\u006bey"',
    '"\\":"',
    '"\\\\"',
    '"é"',
  ),
  stringText,
);
const numberText = fc.constantFrom(
  "0",
  "-0",
  "1.50",
  "1e3",
  "1E400",
  "-7.0",
  "123456",
  "12345678901234567890",
  "5e-324",
);
const { value: jsonText } = fc.letrec<{ value: string; member: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    stringText,
    stringText,
    numberText,
    fc.constantFrom("true", "false", "null"),
    fc
      .tuple(fc.array(tie("value"), { maxLength: 4 }), space)
      .map(([elements, gap]) => `[${gap}${elements.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(fc.array(tie("member"), { maxLength: 5 }), space)
      .map(([members, gap]) => `{${gap}${members.join(`${gap},${gap}`)}${gap}}`),
  ),
  member: fc.tuple(keyText, space, tie("value")).map(([key, gap, value]) => `${key}${gap}:${gap}${value}`),
}));

describe("replacing redacted values in the bytes of JSON", () => {
  it("results in the redacted value for any JSON: escapes, duplicate keys, numbers, __proto__", () => {
    let changed = 0;
    fc.assert(
      fc.property(jsonText, (text) => {
        const before: unknown = JSON.parse(text);
        const after = redacted(before);
        const result = spliced(text, before, after);
        if (result === undefined) return;
        if (after !== before) changed++;
        expect(normalized(JSON.parse(result))).toEqual(normalized(after));
      }),
      { seed: 20260101, numRuns: randomRuns(750) },
    );
    expect(changed).toBeGreaterThan(100);
  });

  it("never gives up on the output of JSON.stringify without numeric keys", () => {
    const key = fc.string({ unit: "grapheme" }).filter((text) => !/^\d/.test(text));
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { depthSize: "medium" },
        fc.string({ unit: "grapheme" }),
        fc.integer(),
        fc.constantFrom(true, null, 0.5),
        fc.array(tie("any"), { maxLength: 4 }),
        fc.dictionary(key, tie("any"), { maxKeys: 5 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.array(value), fc.constantFrom(undefined, 2), (values, indent) => {
        const text = JSON.stringify(values, undefined, indent);
        const before: unknown = JSON.parse(text);
        const after = redacted(before);
        expect(JSON.parse(spliced(text, before, after) ?? "")).toEqual(after);
      }),
      { seed: 20260101, numRuns: randomRuns(250) },
    );
  });

  it("leaves all other bytes unchanged", () => {
    const text = '{ "n" : 1.50,"text":"a","e":"\\u00e9", "big":12345678901234567890 }';
    const before = JSON.parse(text) as Record<string, unknown>;
    expect(spliced(text, before, { ...before, text: "[A]" })).toBe(
      '{ "n" : 1.50,"text":"[A]","e":"\\u00e9", "big":12345678901234567890 }',
    );
  });

  it.each([
    ['{"text":"a","text":"b"}', "a duplicate key"],
    ['{"text":"b","n":1,"text":"a"}', "a duplicate key after another key"],
    ['{"text":"a","1":"x"}', "a numeric key"],
  ])("gives up on %s: %s", (text) => {
    const before = JSON.parse(text) as Record<string, unknown>;
    expect(spliced(text, before, { ...before, text: "[A]" })).toBeUndefined();
  });

  it("replaces values in all spans of a batch", () => {
    const spans = [
      { name: "a" },
      { name: "b" },
      { name: 'x"a', attributes: { list: ["b", { text: "ab" }] } },
    ];
    const after = spans.map(redacted);
    const bytes = Buffer.from(JSON.stringify({ service: "a", spans, x: ["spans", { spans: [] }] }));
    const splices = findBatchSplices(bytes, spans, after) ?? [];
    expect(splices).toHaveLength(3);
    const batch: unknown = JSON.parse(written({ bytes, start: 0, end: bytes.length, splices }));
    expect(batch).toEqual({ service: "a", spans: after, x: ["spans", { spans: [] }] });
  });

  it("gives up on a batch with a duplicate key spans", () => {
    const bytes = Buffer.from('{"spans":[{"name":"a"}],"spans":[{"name":"a"}]}');
    expect(findBatchSplices(bytes, [{ name: "a" }], [{ name: "b" }])).toBeUndefined();
  });
});

/** Normalizes numbers by serialization: -0 becomes 0, and NaN becomes null. */
function normalized(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("many replacements", () => {
  const secrets = (count: number): string[] => new Array<string>(count).fill("[SECRET]");
  const sent = (lengths: readonly number[]): string =>
    JSON.stringify(lengths.map((length) => ({ name: "1.0", list: new Array<number>(length).fill(1) })));
  const replaced = (lengths: readonly number[]): unknown =>
    lengths.map((length) => ({ name: "1.0", list: secrets(length) }));

  it.each([
    ["one long list", [30_000]],
    ["many lists", new Array<number>(600).fill(100)],
    ["a long list after short ones", [3, 1500, 25_000, 3]],
  ])(
    "replaces whole lists beyond a limit, because each replacement takes time and memory: %s",
    (_what, lengths) => {
      const text = sent(lengths);
      const before: unknown = JSON.parse(text);
      const bytes = Buffer.from(text);
      const found = findSplices(bytes, 0, before, replaced(lengths)) ?? [];
      expect(found.length).toBeLessThanOrEqual(text.length / 50);
      expect(written({ bytes, start: 0, end: bytes.length, splices: found })).toBe(
        JSON.stringify(replaced(lengths)),
      );
    },
  );

  it("replaces whole spans of a batch beyond the limit", () => {
    const lengths = [20_000, 20_000, 5, 20_000, 5];
    const text = `{"spans":${sent(lengths)}}`;
    const { spans } = JSON.parse(text) as { spans: unknown[] };
    const bytes = Buffer.from(text);
    const after = replaced(lengths) as unknown[];
    const splices = findBatchSplices(bytes, spans, after) ?? [];
    expect(splices.length).toBeLessThanOrEqual(text.length / 50 + lengths.length);
    expect(written({ bytes, start: 0, end: bytes.length, splices })).toBe(JSON.stringify({ spans: after }));
  });
});
