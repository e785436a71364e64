import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Span } from "@obspan/sdk/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExportTraceServiceRequestSchema } from "../../src/otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { readProtobufRequest } from "../../src/otlp/read-protobuf.js";
import { toOtlpSpan } from "../../src/otlp/span-to-otlp.js";
import { spansFromOtlp } from "../../src/otlp/spans-from-otlp.js";
import { normalizeSpan } from "../../src/span/normalize-span.js";
import { pipelineSpans } from "../store/span-batches.js";

/** Out over OTLP as the exporter writes it, and in again. */
function roundTrip(span: Span): { before: unknown; after: unknown } {
  const [sent] = pipelineSpans([span]);
  if (sent === undefined) throw new Error("no span");
  const body = toBinary(
    ExportTraceServiceRequestSchema,
    create(ExportTraceServiceRequestSchema, {
      resourceSpans: [{ scopeSpans: [{ spans: [toOtlpSpan(sent)] }] }],
    }),
  );
  expect(fromBinary(ExportTraceServiceRequestSchema, body).resourceSpans).toHaveLength(1);
  const read = spansFromOtlp(readProtobufRequest(body)).applications[0]?.spans[0];
  if (read === undefined) throw new Error("The span was refused.");
  return {
    before: normalizeSpan(sent.span, sent.context, sent.facts.spanId),
    after: normalizeSpan(read, sent.context),
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

describe("Out over OTLP and in again loses nothing (contract 6)", () => {
  it("whatever the ids, the status, the times, the attributes and the events are", () => {
    fc.assert(
      fc.property(
        fc.record({
          name: text.filter((name) => name !== ""),
          trace_id: fc.oneof(fc.string({ minLength: 1, maxLength: 64 }), fc.constant("A".repeat(32))),
          span_id: fc.string({ minLength: 1, maxLength: 32 }),
          parent_span_id: fc.oneof(fc.constant(null), fc.string({ maxLength: 32 })),
          span_type: fc.constantFrom("llm", "tool", "agent", "span", "evaluation", "own", "toString"),
          status: fc.constantFrom("OK", "ERROR", "RUNNING", "CANCELLED", "toString"),
          start_time: fc.constantFrom("2026-11-21T03:15:03.384Z", "2026-11-21T03:15:03.384123456Z"),
          duration_ms: fc.constantFrom(0, 12.5, 1234.567891),
          end_time: fc.option(fc.constantFrom("2026-11-21T03:15:04Z"), { nil: undefined }),
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
              time: fc.constantFrom(undefined, "2026-11-21T03:15:03.5Z"),
              attributes,
            }),
            { maxLength: 2 },
          ),
        }),
        (span) => {
          const { before, after } = roundTrip(span as unknown as Span);
          expect(after).toEqual(before);
        },
      ),
    );
  });

  it("whatever lists are longer than OTLP carries them at a bearable cost", () => {
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

  it("and a span has no more messages of lists than so many, its attributes and events together", () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`list ${index}`, new Array<number>(900).fill(1)]),
    );
    const events = Array.from({ length: 20 }, () => ({ name: "e", attributes }));
    const [sent] = pipelineSpans([{ name: "n", trace_id: "t", span_id: "s", attributes, events }]);
    if (sent === undefined) throw new Error("no span");
    const written = toOtlpSpan(sent);
    const values = [written, ...written.events].flatMap((each) =>
      each.attributes.flatMap(({ key, value }) =>
        value?.value.case === "arrayValue" && key !== "obspan.json_keys" ? value.value.value.values : [],
      ),
    );
    expect(values).toHaveLength(9900);
  });
});
