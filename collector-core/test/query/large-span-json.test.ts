import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { largeSpanJson } from "../../src/query/large-span-json.js";
import { SHORT_TEXT_LIMIT, shortenTexts, TEXT_LIMIT, type TextLimit } from "../../src/query/shorten-texts.js";
import { parseInSteps, bytesInSteps } from "../../src/span/json-in-steps.js";
import { normalizeSpan } from "../../src/span/normalize-span.js";
import type { BatchContext } from "../../src/span/span-facts.js";
import { readPartly, readStored, type StoredSpan } from "../../src/span/stored-span.js";
import { runAtOnce } from "../../src/runtime/steps.js";
import { systemClock } from "../../src/runtime/clock.js";
import { TimeSlice } from "../../src/runtime/time-slice.js";
import { randomRuns } from "../random-runs.js";

const CONTEXT: BatchContext = {
  tenant: "",
  service: "shop",
  env: "test",
  version: undefined,
  receivedAtMs: Date.UTC(2026, 0, 1),
};
const timeSlice = new TimeSlice(systemClock);

/** The bytes among others, as a store has them. */
function stored(json: string, isAbandoned = false): StoredSpan {
  const before = Buffer.from('{"x":"');
  const bytes = Buffer.concat([before, Buffer.from(json), Buffer.from('"}')]);
  const start = before.length;
  return {
    slice: { memory: { bytes }, start, end: start + Buffer.byteLength(json) },
    context: CONTEXT,
    isAbandoned,
    isWrapper: false,
  };
}

async function answer(span: StoredSpan, limit: TextLimit | undefined): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const piece of largeSpanJson(span, limit, timeSlice)) chunks.push(Buffer.from(piece));
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

/** What a span is answered as when it is parsed, normalised and written. */
function expected(json: string, limit: TextLimit | undefined): unknown {
  const span = normalizeSpan(JSON.parse(json) as Parameters<typeof normalizeSpan>[0], CONTEXT);
  return JSON.parse(JSON.stringify(limit === undefined ? span : shortenTexts(span, limit))) as unknown;
}

const key = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 6 }) },
  fc.constantFrom(
    "model",
    "tokens_input",
    "provider",
    "__proto__",
    "name",
    "time",
    "attributes",
    "7",
    "a\nb",
  ),
);
const longText = fc
  .tuple(
    fc.constantFrom("x", "ü", "漢", "😀", "\n", "\u0007", '"', "\ud800"),
    fc.integer({ min: 300, max: 5000 }),
  )
  .map(([character, length]) => character.repeat(length));
const escaped = longText.map((text) =>
  JSON.stringify(text).replaceAll(/[^ -~]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  ),
);
const space = fc.constantFrom("", "", "", " ", "\n\t");
const scalar = fc.oneof(
  fc.constantFrom(
    "1",
    "-2.5",
    "0",
    "1e3",
    "1e400",
    "true",
    "null",
    '""',
    `1${"0".repeat(400)}`,
    "12345678901234567890",
  ),
  fc.string({ unit: "binary", maxLength: 10 }).map((text) => JSON.stringify(text)),
  { weight: 1, arbitrary: longText.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: escaped },
);

function writtenKey(text: string, isEscaped: boolean): string {
  if (!isEscaped) return JSON.stringify(text);
  return `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
}

/** Members of an object as a sender may write them: a key may come twice, or with escapes. */
function object(value: fc.Arbitrary<string>, keys = key): fc.Arbitrary<string> {
  const isEscaped = fc.integer({ max: 9, min: 0 }).map((n) => n === 0);
  const member = fc
    .tuple(keys, isEscaped, space, value)
    .map(([name, escapes, gap, json]) => `${gap}${writtenKey(name, escapes)}${gap}:${gap}${json}${gap}`);
  return fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(",")}}`);
}

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    object(tie("value")),
    fc
      .tuple(fc.array(tie("value"), { maxLength: 4 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`,${gap}`)}${gap}]`),
  ),
}));
const checked = fc.constantFrom(
  "model",
  "provider",
  "tool_name",
  "agent",
  "tokens_input",
  "cost_usd",
  "other",
);
const attributes = fc.oneof(object(value), object(value, checked), value);
const event = fc.oneof(object(value, fc.constantFrom("name", "time", "attributes", "x")), value);
const events = fc.oneof(
  fc.array(event, { maxLength: 5 }).map((items) => `[${items.join(" ,")}]`),
  fc.constant(`[${Array.from({ length: 200 }, () => '{"name":"e","time":1000}').join()}]`),
  value,
);
const field = fc.oneof(
  fc.tuple(fc.constant('"attributes"'), attributes),
  fc.tuple(fc.constant('"events"'), events),
  fc.tuple(
    fc.constantFrom(
      '"status"',
      '"span_type"',
      '"parent_span_id"',
      '"duration_ms"',
      '"x"',
      '"start_time"',
      '"stat\\u0075s"',
    ),
    value,
  ),
  fc.tuple(
    fc.constantFrom('"start_time"', '"end_time"'),
    fc.constantFrom('"2026-01-01T00:00:00.5Z"', "1000", '"never"'),
  ),
  fc.constant(['"error_propagated"', "true"] as [string, string]),
);
const span = fc
  .tuple(fc.array(field, { maxLength: 8 }), space)
  .map(
    ([fields, gap]) =>
      `{"name":"n",${gap}"trace_id":"t","span_id":"s"${fields.map(([name, json]) => `,${gap}${name}:${json}`).join("")}${gap}}`,
  );

describe("a large span that is written from its stored bytes", () => {
  it("equals the span parsed, normalized and written", async () => {
    await fc.assert(
      fc.asyncProperty(
        span,
        fc.constantFrom(undefined, TEXT_LIMIT, SHORT_TEXT_LIMIT),
        async (json, limit) => {
          expect(await answer(stored(json), limit)).toEqual(expected(json, limit));
        },
      ),
      { numRuns: randomRuns(30) },
    );
  });

  it("is shown as ABANDONED after 30 minutes without an update", async () => {
    const json = '{"name":"n","trace_id":"t","span_id":"s","status":"RUNNING"}';
    expect(await answer(stored(json, true), undefined)).toMatchObject({
      status: "ABANDONED",
      end_time: null,
    });
  });
});

describe("JSON that is parsed and written in steps", () => {
  it("equals the results of JSON.parse and JSON.stringify", () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 4000 }), (json, repeats) => {
        // So long that it is more than one piece.
        const long = `[${Array.from({ length: repeats }, () => json)
          .slice(0, Math.max(1, Math.trunc(40_000 / json.length)))
          .join()}]`;
        const nested = `{"a":${long},"__proto__":${json},"a":${long} , "7":1,"b":${long}}`;
        for (const text of [json, long, nested]) {
          const parsed = runAtOnce(parseInSteps(Buffer.from(`  ${text}  `), 2));
          const wanted = JSON.parse(text) as unknown;
          expect(parsed).toEqual(wanted);
          expect(runAtOnce(bytesInSteps(parsed)).toString()).toBe(JSON.stringify(wanted));
        }
      }),
      { numRuns: randomRuns(6) },
    );
  });
});

describe("a large span that is parsed in slices", () => {
  const parts = Array.from({ length: 5000 }, (_, n) => ({ type: "text", content: `part ${n}` }));
  const messages = [{ role: "assistant", parts }];
  const attributes = { other: parts, completion_messages: messages, model: "m", tokens_input: -1 };
  const json = JSON.stringify({
    name: "n",
    trace_id: "t",
    span_id: "s",
    attributes,
    events: [{ name: "e" }],
  });

  it("equals the span parsed at once", async () => {
    expect(await readStored(stored(json), timeSlice)).toEqual(expected(json, undefined));
  });

  it("can be parsed in part", async () => {
    const part = await readPartly(stored(json), new Set(["completion_messages", "tokens_input"]), timeSlice);
    expect(part).toEqual({
      ...(expected(json, undefined) as object),
      attributes: { completion_messages: messages, model: "m" },
      events: [],
    });
  });
});
