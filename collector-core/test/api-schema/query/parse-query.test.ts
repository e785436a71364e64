import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatQueryTerm,
  formatQueryText,
  parseQuery,
  QUERY_KEYS,
  QUERY_LIMITS,
  readQueryTerms,
} from "../../../src/api-schema/query/index.js";

/** The conditions without what every condition has. */
function read(query: string): unknown[] {
  const { conditions, problems } = parseQuery(query);
  expect(problems, query).toEqual([]);
  return conditions.map(({ isNegated, ...rest }) => {
    const { position, ...condition } = rest;
    expect(position, query).toBeLessThan(query.length);
    return isNegated ? { not: condition } : condition;
  });
}

const text = (value: string) => ({ kind: "text", text: value });
const label = (key: string, ...values: string[]) => ({ kind: "label", key, values });
const range = (min: number, max: number, isAboveMin = false, isBelowMax = false) => ({
  min,
  max,
  isAboveMin,
  isBelowMax,
});
const number = (key: string, ...ranges: object[]) => ({ kind: "number", key, ranges });
const { POSITIVE_INFINITY: MAX, NEGATIVE_INFINITY: MIN } = Number;

describe("parseQuery", () => {
  it.each<[string, unknown[]]>([
    ["", []],
    ['  ""  ', []],
    ["late parcel", [text("late"), text("parcel")]],
    ['"late parcel" -refund', [text("late parcel"), { not: text("refund") }]],
    ['-"two words"', [{ not: text("two words") }]],
    ["- --verbose", [text("-"), text("--verbose")]],
    ["http://example.org 12:30 a,b", [text("http://example.org"), text("12:30"), text("a,b")]],
    ["Service:shop", [label("service", "shop")]],
    ["model:a,b -tool:c", [label("model", "a", "b"), { not: label("tool", "c") }]],
    ['agent:"front desk","a,b"', [label("agent", "front desk", "a,b")]],
    ['agent:"say \\"hi\\" \\\\o/"', [label("agent", 'say "hi" \\o/')]],
    ['agent:"never closed', [label("agent", "never closed")]],
    ["status:error,degraded", [label("status", "ERROR", "degraded")]],
    ['status:"error"', [label("status", "error")]],
    ["trace_id:a:b", [label("trace_id", "a:b")]],
    ["span_type:llm root_name:x", [label("type", "llm"), label("name", "x")]],
    ["has:ERROR,image", [label("has", "error", "image")]],
    ["tool_output:empty", [label("tool_output", "empty")]],
    ["duration:>2s", [number("duration", range(2000, MAX, true))]],
    ["duration:100ms..1.5s,>1m", [number("duration", range(100, 1500), range(60_000, MAX, true))]],
    ["ttft:<=500", [number("ttft", range(MIN, 500))]],
    [
      "tokens:<10k cost:$0.5",
      [number("tokens", range(MIN, 10_000, false, true)), number("cost", range(0.5, 0.5))],
    ],
    ["min_duration_ms:5", [number("duration", range(5, MAX))]],
    ["score:relevance", [{ kind: "score", tests: [{ type: "relevance", range: undefined }] }]],
    ["score:0.2..0.5", [{ kind: "score", tests: [{ type: undefined, range: range(0.2, 0.5) }] }]],
    [
      "score:relevance<0.5,a:>=1",
      [
        {
          kind: "score",
          tests: [
            { type: "relevance", range: range(MIN, 0.5, false, true) },
            { type: "a", range: range(1, MAX) },
          ],
        },
      ],
    ],
    [
      "start:-2h",
      [{ kind: "time", ranges: [{ min: { agoMs: 7_200_000 }, isAboveMin: false, isBelowMax: false }] }],
    ],
    [
      "until:2026-01-01",
      [
        {
          kind: "time",
          ranges: [{ max: { text: "2026-01-01T00:00:00Z" }, isAboveMin: false, isBelowMax: true }],
        },
      ],
    ],
    [
      '@customer.tier:gold,>5,*,"*"',
      [
        {
          kind: "attribute",
          path: "customer.tier",
          tests: [
            { kind: "equal", text: "gold" },
            { kind: "range", range: range(5, MAX, true) },
            { kind: "any" },
            { kind: "equal", text: "*" },
          ],
        },
      ],
    ],
    [
      '@"my key":x @me',
      [{ kind: "attribute", path: "my key", tests: [{ kind: "equal", text: "x" }] }, text("@me")],
    ],
  ])("reads %s", (query, conditions) => expect(read(query)).toEqual(conditions));

  it.each([
    ["servce:shop", "servce", 0, /no key "servce"/],
    ["a Error: late", "Error", 2, /Error needs a value|no key/],
    ["-duration:fast", "duration", 1, /duration must be a number/],
    ["duration:>", "duration", 0, /must be a number/],
    ["duration:..", "duration", 0, /must be a number/],
    ["start:yesterday", "start", 0, /must be a time/],
    ["model:a,,b", "model", 0, /needs a value/],
    ["has:fun", "has", 0, /error, score, image or tool_error, not "fun"/],
    ["@a:", "@a", 0, /needs a value/],
    ["constructor:x", "constructor", 0, /no key/],
  ])("names what is wrong in %s", (query, key, position, message) => {
    expect(parseQuery(query).problems).toEqual([
      { key, position, message: expect.stringMatching(message) as string },
    ]);
  });

  it("reads the rest of a query with a problem", () => {
    const { conditions, problems } = parseQuery("a servce:x status:OK duration:z");
    expect(conditions).toHaveLength(2);
    expect(problems.map(({ position }) => position)).toEqual([2, 21]);
  });

  it("bounds the length, the conditions, the values and the searches", () => {
    const { characters, conditions, values, searches, pathParts } = QUERY_LIMITS;
    const excesses = [
      "x".repeat(characters + 1),
      "type:a ".repeat(conditions + 1),
      `type:${"a,".repeat(values)}a`,
      "a ".repeat(searches + 1),
      `@${"a.".repeat(pathParts)}a:b`,
    ];
    for (const excess of excesses) {
      const { problems, conditions: read } = parseQuery(excess);
      expect(problems, excess.slice(0, 20)).toHaveLength(1);
      expect(problems[0]?.message).toMatch(/at most \d+/);
      expect(read.length).toBeLessThanOrEqual(conditions);
    }
  });

  it("reads any text without failing, in order of position", () => {
    const characters = fc.constantFrom(
      ...Array.from('-@:,"\\<>.$ \t\nab1é🎉'),
      "start",
      "score",
      "tool",
      "has",
      "..",
    );
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 60 }), (parts) => {
        const query = parts.join("");
        const { conditions, problems } = parseQuery(query);
        const positions = conditions.map(({ position }) => position);
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        for (const { position } of problems) expect(position).toBeLessThan(query.length);
        const ends = readQueryTerms(query).map(({ end }) => end);
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe("formatQueryTerm", () => {
  const value = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });

  it("writes what parseQuery reads", () => {
    const values = fc.array(value, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(value, values, fc.boolean(), (key, texts, isNegated) => {
        fc.pre(key.split(".").length <= QUERY_LIMITS.pathParts);
        const attribute = {
          kind: "attribute",
          path: key,
          tests: texts.map((each) => ({ kind: "equal", text: each })),
        };
        expect(read(formatQueryTerm(`@${key}`, texts, isNegated))).toEqual([
          isNegated ? { not: attribute } : attribute,
        ]);
        expect(read(formatQueryTerm("agent", texts))).toEqual([label("agent", ...texts)]);
      }),
    );
  });

  it("quotes what would be read as something else", () => {
    const values = ["//host", "a,b", "a b", "*", "1..2", ">1", 'say "x"'];
    for (const each of values)
      expect(read(formatQueryTerm("agent", [each])), each).toEqual([label("agent", each)]);
    expect(formatQueryTerm("agent", ["https://host"])).toBe("agent:https://host");
  });

  it("writes texts", () => {
    fc.assert(
      fc.property(value, (each) => {
        expect(read(formatQueryText(each))).toEqual([text(each)]);
      }),
    );
    expect(formatQueryText("late")).toBe("late");
  });

  it("has no two keys of one name", () => {
    expect(new Set(QUERY_KEYS.map(({ name }) => name)).size).toBe(QUERY_KEYS.length);
  });
});
