import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExportTraceServiceRequestSchema } from "../../src/otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import type {
  AnyValue,
  AnyValueSchema,
  KeyValue,
} from "../../src/otlp/proto/opentelemetry/proto/common/v1/common_pb.js";
import { readProtobufInSteps } from "../../src/otlp/read-large-protobuf.js";
import { readProtobufRequest } from "../../src/otlp/read-protobuf.js";
import { MAX_VALUE_DEPTH, TooDeepValue, type OtlpTraceRequest } from "../../src/otlp/received-spans.js";
import { runAtOnce } from "../../src/runtime/steps.js";

type AnyValueInit = MessageInitShape<typeof AnyValueSchema>;

const text = fc.string({ unit: "binary", maxLength: 100 });
const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const count = fc.nat({ max: 2 ** 31 - 1 });
const bytes = (...lengths: number[]): fc.Arbitrary<Uint8Array<ArrayBuffer>> =>
  fc.oneof(
    ...lengths.map((length) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map((id) => Uint8Array.from(id)),
    ),
  );

const { anyValue } = fc.letrec<{ anyValue: AnyValueInit }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 3 },
    fc.constant({}),
    text.map((value): AnyValueInit => ({ value: { case: "stringValue", value } })),
    fc.boolean().map((value): AnyValueInit => ({ value: { case: "boolValue", value } })),
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((value): AnyValueInit => ({ value: { case: "intValue", value } })),
    fc.double().map((value): AnyValueInit => ({ value: { case: "doubleValue", value } })),
    bytes(0, 3, 20).map((value): AnyValueInit => ({ value: { case: "bytesValue", value } })),
    fc
      .array(tie("anyValue"), { maxLength: 3 })
      .map((values): AnyValueInit => ({ value: { case: "arrayValue", value: { values } } })),
    fc
      .array(fc.record({ key: fc.constantFrom("a", "b", "__proto__"), value: tie("anyValue") }))
      .map((values): AnyValueInit => ({ value: { case: "kvlistValue", value: { values } } })),
  ),
}));
const attributes = fc.array(
  fc.record({
    key: fc.oneof(text, fc.constant("__proto__")),
    value: fc.option(anyValue, { nil: undefined }),
  }),
  { maxLength: 4 },
);
const traceId = bytes(0, 16, 15);
const spanId = bytes(0, 8, 9);
const span = fc.record({
  traceId,
  spanId,
  parentSpanId: spanId,
  traceState: text,
  name: text,
  kind: fc.nat({ max: 7 }),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  droppedAttributesCount: count,
  events: fc.array(
    fc.record({ timeUnixNano: nanoseconds, name: text, attributes, droppedAttributesCount: count }),
    { maxLength: 2 },
  ),
  droppedEventsCount: count,
  links: fc.array(
    fc.record({ traceId, spanId, traceState: text, attributes, droppedAttributesCount: count, flags: count }),
    { maxLength: 2 },
  ),
  droppedLinksCount: count,
  status: fc.option(fc.record({ message: text, code: fc.nat({ max: 3 }) }), { nil: undefined }),
  flags: count,
});
const request = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource: fc.option(fc.record({ attributes, droppedAttributesCount: count }), { nil: undefined }),
      scopeSpans: fc.array(
        fc.record({
          scope: fc.option(fc.record({ name: text, version: text, attributes }), { nil: undefined }),
          spans: fc.array(span, { maxLength: 2 }),
          schemaUrl: text,
        }),
        { maxLength: 2 },
      ),
      schemaUrl: text,
    }),
    { maxLength: 2 },
  ),
});

/** What the library's own messages say. */
function fromMessages(body: Uint8Array): unknown {
  return fromBinary(ExportTraceServiceRequestSchema, body).resourceSpans.map(({ resource, scopeSpans }) => ({
    resource: attributesOf(resource?.attributes),
    scopes: scopeSpans.map(({ scope, spans }) => ({
      scope: { name: scope?.name ?? "", version: scope?.version ?? "" },
      spans: spans.map((message) => ({
        traceId: hex(message.traceId, 16),
        spanId: hex(message.spanId, 8),
        parentSpanId: hex(message.parentSpanId, 8),
        traceState: message.traceState,
        name: message.name,
        kind: message.kind,
        startUnixNano: message.startTimeUnixNano,
        endUnixNano: message.endTimeUnixNano,
        attributes: attributesOf(message.attributes),
        events: message.events.map((event) => ({
          name: event.name,
          timeUnixNano: event.timeUnixNano,
          attributes: attributesOf(event.attributes),
        })),
        links: message.links.map((link) => ({
          traceId: hex(link.traceId, 16),
          spanId: hex(link.spanId, 8),
          traceState: link.traceState,
          attributes: attributesOf(link.attributes),
        })),
        statusCode: message.status?.code ?? 0,
        statusMessage: message.status?.message ?? "",
      })),
    })),
  }));
}

function attributesOf(keyValues: readonly KeyValue[] = []): Map<string, unknown> {
  return new Map(keyValues.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf(any: AnyValue | undefined): unknown {
  const said = any?.value;
  if (said?.case === undefined) return null;
  switch (said.case) {
    case "intValue":
      return Number.isSafeInteger(Number(said.value)) ? Number(said.value) : String(said.value);
    case "doubleValue":
      return Number.isFinite(said.value) ? said.value : String(said.value);
    case "bytesValue":
      return Buffer.from(said.value).toString("base64");
    case "arrayValue":
      return said.value.values.map(valueOf);
    case "kvlistValue":
      return Object.fromEntries(attributesOf(said.value.values));
    case "boolValue":
    case "stringValue":
      return said.value;
  }
}

function hex(id: Uint8Array, length: number): string {
  return id.length === length && id.some((byte) => byte !== 0) ? Buffer.from(id).toString("hex") : "";
}

/** A message of less than 128 bytes as a field. */
function message(field: number, inner: Uint8Array): Uint8Array {
  return Uint8Array.of((field << 3) | 2, inner.length, ...inner);
}

/** What a reader makes of bytes, or that it refuses them. */
function outcomeOf(read: (body: Uint8Array) => unknown, body: Uint8Array): unknown {
  try {
    return read(body);
  } catch {
    return "refused";
  }
}

describe("A protobuf request is decoded according to its definitions", () => {
  it("with any fields, complete and truncated at any byte", () => {
    fc.assert(
      fc.property(request, fc.nat(), (init, cut) => {
        const body = toBinary(
          ExportTraceServiceRequestSchema,
          create(
            ExportTraceServiceRequestSchema,
            init as MessageInitShape<typeof ExportTraceServiceRequestSchema>,
          ),
        );
        expect(readProtobufRequest(body)).toEqual(fromMessages(body));
        const part = body.subarray(0, cut % (body.length + 1));
        expect(outcomeOf(readProtobufRequest, part)).toEqual(outcomeOf(fromMessages, part));
        for (const stepBytes of [1, 3, 20]) {
          const inSteps = (bytes: Uint8Array): OtlpTraceRequest =>
            runAtOnce(readProtobufInSteps(bytes, stepBytes));
          expect(inSteps(body)).toEqual(fromMessages(body));
          expect(outcomeOf(inSteps, part)).toEqual(outcomeOf(fromMessages, part));
        }
      }),
    );
  });

  it("invalid UTF-8 is rejected", () => {
    const scopeName = Uint8Array.of(0x0a, 0x02, 0xc3, 0x28);
    expect(() => readProtobufRequest(message(1, message(2, message(1, scopeName))))).toThrow();
  });

  it("unknown fields are ignored", () => {
    const varint = [0xf8, 0x06, 0x01];
    const texts = [0xfa, 0x06, 0x02, 0x61, 0x62];
    expect(readProtobufRequest(Uint8Array.of(...varint, ...texts, 0x0a, 0x03, ...varint))).toEqual([
      { resource: new Map(), scopes: [] },
    ]);
  });

  it("a field of another wire type than its own is an unknown field", () => {
    // Field 1, the resources, as a varint. Its value would be the length of a message.
    expect(readProtobufRequest(Uint8Array.of(0x08, 0x02, 0x0a, 0x00))).toEqual([
      { resource: new Map(), scopes: [] },
    ]);
    // Field 7 of a span, its start, as a text.
    const span = message(1, message(2, message(2, Uint8Array.of(0x3a, 0x01, 0x61))));
    expect(readProtobufRequest(span)[0]?.scopes[0]?.spans).toMatchObject([{ startUnixNano: 0n }]);
  });

  it.each([
    ["a message", message(1, Uint8Array.of(0x12, 0x04)), [0x12, 0x02, 0x0a, 0x00]],
    ["a text", message(1, message(2, message(1, Uint8Array.of(0x0a, 0x02)))), [0x61, 0x62]],
    ["an unknown field", message(1, Uint8Array.of(0xfa, 0x06, 0x02)), [0x61, 0x62]],
  ])("%s that is longer than the message around it is rejected", (_, start, rest) => {
    const body = Uint8Array.of(...start, ...rest);
    expect(outcomeOf(readProtobufRequest, body)).toBe("refused");
    expect(outcomeOf((bytes) => runAtOnce(readProtobufInSteps(bytes, 1)), body)).toBe("refused");
  });

  it("a group, an invalid tag and a wire type that is not defined are rejected", () => {
    for (const body of [
      [0x0b, 0x0c],
      [0x0b, 0x08, 0x01, 0x0c],
      [0x0e],
      [0x0f],
      [0x00, 0x00],
      [0x8a, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00],
      [0x08, 0x80],
      [0x0d, 0x00],
    ])
      expect([body, outcomeOf(readProtobufRequest, Uint8Array.from(body))]).toEqual([body, "refused"]);
  });

  it("values nested too deep are rejected with TooDeepValue", () => {
    const nested = (levels: number): Uint8Array => {
      let value: AnyValueInit = { value: { case: "boolValue", value: true } };
      for (let level = 1; level < levels; level++)
        value = { value: { case: "arrayValue", value: { values: [value] } } };
      return toBinary(
        ExportTraceServiceRequestSchema,
        create(ExportTraceServiceRequestSchema, {
          resourceSpans: [{ resource: { attributes: [{ key: "deep", value }] } }],
        }),
      );
    };
    expect(readProtobufRequest(nested(MAX_VALUE_DEPTH))).toHaveLength(1);
    expect(() => readProtobufRequest(nested(MAX_VALUE_DEPTH + 1))).toThrow(TooDeepValue);
    expect(() => readProtobufRequest(nested(200))).toThrow(TooDeepValue);
    const inSteps = (body: Uint8Array): OtlpTraceRequest => runAtOnce(readProtobufInSteps(body, 1));
    expect(inSteps(nested(MAX_VALUE_DEPTH))).toHaveLength(1);
    expect(() => inSteps(nested(MAX_VALUE_DEPTH + 1))).toThrow(TooDeepValue);
  });
});
