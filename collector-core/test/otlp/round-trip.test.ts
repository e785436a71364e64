import { fromBinary } from "@bufbuild/protobuf";
import { isDeepStrictEqual } from "node:util";
import type { JsonValue, Span, SpanEvent } from "@obspan/sdk/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExportTraceServiceRequestSchema } from "../../src/otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { readProtobufRequest } from "../../src/otlp/read-protobuf.js";
import type { Span as OtlpSpan } from "../../src/otlp/proto/opentelemetry/proto/trace/v1/trace_pb.js";
import { JsonLines } from "../../src/otlp/json-lines.js";
import { readOtlpJson } from "./read-otlp-json.js";
import { toProtobufRequest } from "../../src/otlp/request-to-otlp.js";
import { spansFromOtlp } from "../../src/otlp/spans-from-otlp.js";
import { normalizeSpan } from "../../src/span/normalize-span.js";
import { runAtOnce } from "../../src/runtime/steps.js";
import type { PipelineSpan } from "../../src/span/pipeline-span.js";
import { fromBody, pipelineSpans } from "../store/span-batches.js";

/** Becomes the number 1e400, which JSON.parse reads as Infinity and JSON.stringify cannot write. */
const BEYOND_DOUBLE = '"beyond a double"';
const HUGE = JSON.parse(BEYOND_DOUBLE) as string;

/** What the exporter writes, and the span in it as the library of protobuf reads it. */
function exported(span: Span): { sent: PipelineSpan; body: Uint8Array; written: OtlpSpan } {
  const [sent] = fromBody(Buffer.from(JSON.stringify({ spans: [span] }).replaceAll(BEYOND_DOUBLE, "1e400")));
  if (sent === undefined) throw new Error("no span");
  const body = runAtOnce(toProtobufRequest([[sent]], "1"));
  const written = fromBinary(ExportTraceServiceRequestSchema, body).resourceSpans[0]?.scopeSpans[0]?.spans[0];
  if (written === undefined) throw new Error("no span is written");
  return { sent, body, written };
}

/** Out over OTLP as the exporter writes it, and as `GET /v1/export` does, and in again. */
function roundTrip(span: Span): { before: unknown; after: unknown; imported: unknown } {
  const { sent, body } = exported(span);
  const normalized = (read: Span | undefined): unknown => {
    if (read === undefined) throw new Error("The span was refused.");
    return normalizeSpan(read, sent.context);
  };
  const line = JSON.parse([...new JsonLines("1").writeAlone(sent)].join("")) as unknown;
  return {
    before: normalizeSpan(sent.span, sent.context, sent.facts.spanId),
    after: normalized(spansFromOtlp(readProtobufRequest(body)).applications[0]?.spans[0]),
    imported: normalized(readOtlpJson(line).applications[0]?.spans[0]),
  };
}

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("obspan.trace_id", "__proto__", "\ud800"),
);
const attributes = fc.dictionary(
  fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom(
      "",
      "obspan.span_type",
      "obspan.json_keys",
      "obspan.attribute.x",
      "gen_ai.request.model",
      "gen_ai.usage.input_tokens",
      "error.type",
      "__proto__",
    ),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Times with nanoseconds, and those that an OTLP time cannot represent or barely can. */
const TIMES: readonly unknown[] = [
  "2026-11-21T03:15:03.384123456Z",
  0,
  "1970-01-01T00:00:00Z",
  "1970-01-01T00:00:00.000000001Z",
  "2554-07-21T23:34:33.708999999Z",
  "2554-07-21T23:34:33.709551615Z",
  "2554-07-21T23:34:33.709551616Z",
  "9999-12-31T23:59:59.999Z",
];

/** An event without attributes may come back with none. */
function withAttributes(event: SpanEvent): SpanEvent {
  return { ...event, attributes: event.attributes ?? {} };
}

function withoutNulls(attributes: unknown): unknown {
  return Object.fromEntries(Object.entries(attributes as object).filter(([, value]) => value !== null));
}

describe("Export and import over OTLP are lossless (contract 6)", () => {
  it("for any ids, status, times, attributes and events", () => {
    fc.assert(
      fc.property(
        fc.record({
          name: text.filter((name) => name !== ""),
          trace_id: fc.oneof(fc.string({ minLength: 1, maxLength: 64 }), fc.constant("A".repeat(32))),
          span_id: fc.string({ minLength: 1, maxLength: 32 }),
          parent_span_id: fc.oneof(fc.constant(null), fc.string({ maxLength: 32 })),
          span_type: fc.constantFrom(
            "llm",
            "tool",
            "agent",
            "span",
            "evaluation",
            "own",
            "toString",
            "x\ud800",
          ),
          status: fc.constantFrom("OK", "ERROR", "RUNNING", "CANCELLED", "toString", "y\ud800"),
          start_time: fc.constantFrom<unknown>("2026-11-21T03:15:03.384Z", ...TIMES),
          duration_ms: fc.constantFrom(0, 12.5, 1234.567891),
          end_time: fc.option(fc.constantFrom<unknown>("2026-11-21T03:15:04Z", ...TIMES), { nil: undefined }),
          error_propagated: fc.boolean(),
          attributes: fc
            .tuple(
              attributes,
              fc.record({
                model: fc.constantFrom("gpt-4o", ""),
                tokens_input: fc.nat(),
                finish_reason: fc.constant("stop"),
                prompt_messages: fc.constant([{ role: "user", parts: [{ type: "text", content: "Hi" }] }]),
              }),
            )
            .map(([free, known]) => ({ ...free, ...known })),
          events: fc.array(
            fc.record({
              name: fc.string(),
              time: fc.constantFrom<unknown>(undefined, "2026-11-21T03:15:03.5Z", ...TIMES),
              attributes,
            }),
            { maxLength: 2 },
          ),
        }),
        (span) => {
          const { before, after, imported } = roundTrip(span as unknown as Span);
          expect(after).toEqual(before);
          expect(imported).toEqual(before);
        },
      ),
    );
  });

  it("for a span and an event at the start of 1970", () => {
    const times = { start_time: 0, end_time: "1970-01-01T00:00:00Z", events: [{ name: "e", time: 0 }] };
    const { before, after, imported } = roundTrip({ name: "n", trace_id: "t", span_id: "s", ...times });
    const start = "1970-01-01T00:00:00.000Z";
    expect(before).toMatchObject({ start_time: start, end_time: start, events: [{ time: start }] });
    expect(after).toEqual(before);
    expect(imported).toEqual(before);
  });

  it("for numbers beyond the range of a double, which are null in a response before and after", () => {
    const attributes: Record<string, JsonValue> = {
      model: HUGE,
      tokens_input: HUGE,
      cost_usd: HUGE,
      ttft_ms: HUGE,
      finish_reason: HUGE,
      "gen_ai.usage.output_tokens": HUGE,
      own: HUGE,
      list: [1, HUGE],
      object: { a: [HUGE] },
    };
    const many = Array.from({ length: 20_000 }, (_, index) => [`number ${index}`, index] as const);
    for (const each of [attributes, { ...Object.fromEntries(many), ...attributes }]) {
      const events = [{ name: "e", attributes: each }];
      const span = { name: "n", trace_id: "t", span_id: "s", span_type: "llm", attributes: each, events };
      const { before, after, imported } = roundTrip(span);
      // A checked attribute such as the model is left out of a response if its value is invalid, and stays if it is null.
      const response = (normalized: unknown): unknown => {
        const { attributes: own, ...rest } = JSON.parse(JSON.stringify(normalized)) as Record<
          string,
          unknown
        >;
        return { ...rest, attributes: withoutNulls(own) };
      };
      expect(response(after)).toEqual(response(before));
      expect(response(imported)).toEqual(response(before));
      expect(after).toMatchObject({ attributes: { own: null, list: [1, null], object: { a: [null] } } });
    }
    const { sent, body } = exported({ name: "n", trace_id: "t", span_id: "s", attributes });
    const read = spansFromOtlp(readProtobufRequest(body)).applications[0]?.spans[0];
    expect(sent.span.attributes).toMatchObject({ own: Infinity, object: { a: [Infinity] } });
    expect(sent.facts.model).toBe("");
    expect(pipelineSpans(read === undefined ? [] : [read])[0]?.facts).toMatchObject({
      model: "",
      tokensInput: undefined,
      costUsd: undefined,
    });
  });

  it("for lists beyond the limit of OTLP lists", () => {
    const lists = {
      numbers: new Array<number>(10_001).fill(1),
      "obspan.own": new Array<string>(10_001).fill("a"),
      "gen_ai.usage.input_tokens": new Array<boolean>(10_001).fill(true),
    };
    const many = Object.fromEntries(
      Array.from({ length: 10_002 }, (_, index) => [`mixed ${index}`, [index, "a"]]),
    );
    const events = Array.from({ length: 50 }, () => ({
      name: "e",
      attributes: { list: new Array<number>(5000).fill(2) },
    }));
    for (const attributes of [lists, many]) {
      const { before, after } = roundTrip({ name: "n", trace_id: "t", span_id: "s", attributes, events });
      expect(after).toEqual(before);
    }
  });

  it("with a limit on list items across the attributes and events of a span", () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`list ${index}`, new Array<number>(900).fill(1)]),
    );
    const events = Array.from({ length: 20 }, () => ({ name: "e", attributes }));
    const { written } = exported({ name: "n", trace_id: "t", span_id: "s", attributes, events });
    const values = [written, ...written.events].flatMap((each) =>
      each.attributes.flatMap(({ key, value }) =>
        value?.value.case === "arrayValue" && key !== "obspan.json_keys" ? value.value.value.values : [],
      ),
    );
    expect(values).toHaveLength(9900);
  });

  it("for any number of attributes and events, with those beyond the limits as JSON", () => {
    const many = (count: number, name: string): Record<string, JsonValue> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name} ${index}`, index]));
    const attributes = {
      ...many(20_500, "number"),
      "obspan.own": "mine",
      "obspan.more_attributes": ["also mine"],
      "gen_ai.request.model": "as sent",
      ["__proto__"]: { nested: [1, null, "a"] },
      model: "gpt-4o",
      text: "\ud800 and \u{1f600}",
      list: [1, "two", null],
    };
    const events = [
      ...Array.from({ length: 11_000 }, (_, index) => ({ name: `e${index}`, attributes: { index } })),
      { name: "", time: "2026-11-21T03:15:03.5Z", attributes: { "obspan.no_time": true, a: [[1]] } },
      { name: "without a time" },
      { name: "large", attributes: many(20_100, "of the event") },
    ];
    const ids = { name: "n", trace_id: "t", span_id: "s", span_type: "llm" };
    for (const span of [
      { ...ids, attributes },
      { ...ids, attributes: { model: "gpt-4o", 1: 1 }, events },
      { ...ids, attributes, events },
      { ...ids, attributes: { model: "gpt-4o" }, events: events.toReversed() },
    ] as unknown as Span[]) {
      const { written, body, sent } = exported(span);
      const line = JSON.parse([...new JsonLines("1").writeAlone(sent)].join("")) as unknown;
      for (const { applications } of [spansFromOtlp(readProtobufRequest(body)), readOtlpJson(line)]) {
        const read = applications[0]?.spans[0];
        expect(isDeepStrictEqual(read?.attributes, span.attributes ?? {})).toBe(true);
        expect(isDeepStrictEqual(read?.events?.map(withAttributes), span.events?.map(withAttributes))).toBe(
          true,
        );
      }
      const entries = [written, ...written.events].reduce((sum, each) => sum + each.attributes.length, 0);
      expect(entries + written.events.length).toBeLessThan(20_100);
      expect(written.attributes.map(({ key }) => key)).toContain("gen_ai.request.model");
    }
  });

  it("and keep a JSON text that another receiver changed", () => {
    const attributes = Object.fromEntries(Array.from({ length: 20_100 }, (_, index) => [`${index} a`, 1]));
    const span = { name: "n", trace_id: "t", span_id: "s", attributes };
    const request = readProtobufRequest(exported(span).body);
    const [sent] = request[0]?.scopes[0]?.spans ?? [];
    sent?.attributes.set("obspan.more_attributes", ['{"cut of']);
    sent?.attributes.set("obspan.more_events", ['{"no list":1}', "[1"]);
    const read = spansFromOtlp(request).applications[0]?.spans[0];
    expect(Object.keys(read?.attributes ?? {})).toHaveLength(20_002);
    expect(read?.attributes).toMatchObject({
      "0 a": 1,
      "obspan.more_attributes": ['{"cut of'],
      "obspan.more_events": ['{"no list":1}', "[1"],
    });
  });
});
