import { describe, expect, it } from "vitest";
import { readOtlpInSteps, readOtlpRequest, type OtlpEncoding } from "../../src/ingest/otlp-encoding.js";

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function message(field: number, ...parts: readonly Uint8Array[]): Buffer {
  const inner = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(inner.length)]), inner]);
}

const COUNT = 30_000;

/** Empty messages of a field. */
function empty(field: number): Buffer {
  return Buffer.alloc(COUNT * 2, Buffer.from([(field << 3) | 2, 0]));
}

function distinctAttributes(field: number): Buffer {
  return Buffer.concat(
    Array.from({ length: COUNT }, (_, i) => message(field, message(1, Buffer.from(`k${i}`)))),
  );
}

const inSpan = (part: Buffer): Buffer => message(1, message(2, message(2, part)));
const inAttribute = (part: Buffer): Buffer => inSpan(message(9, message(2, part)));

const PROTOBUF: Readonly<Record<string, Buffer>> = {
  resources: empty(1),
  scopes: message(1, empty(2)),
  "attributes of a resource": message(1, message(1, distinctAttributes(1))),
  spans: message(1, message(2, empty(2))),
  "spans in many scopes": message(
    1,
    ...Array.from({ length: 20 }, () => message(2, empty(2).subarray(0, 4000))),
  ),
  "names of a scope": message(1, message(2, message(1, empty(1)))),
  "names of a span": inSpan(empty(5)),
  events: inSpan(empty(11)),
  links: inSpan(empty(13)),
  attributes: inSpan(distinctAttributes(9)),
  "attributes of an event": inSpan(message(11, distinctAttributes(3))),
  "attributes of a link": inSpan(message(13, distinctAttributes(4))),
  "messages of a status": inSpan(message(15, empty(2))),
  "values of an attribute": inSpan(message(9, empty(2))),
  "items of a list": inAttribute(message(5, empty(1))),
  "items of a list in a list": inAttribute(message(5, message(1, message(5, empty(1))))),
  "entries of a map": inAttribute(message(6, distinctAttributes(1))),
  "unknown fields": empty(12),
  "fields of another wire type": Buffer.concat([Buffer.from([(1 << 3) | 0, ...varint(COUNT * 2)]), empty(2)]),
};

function objects(count: number): string {
  return `[${"{},".repeat(count - 1)}{}]`;
}

const jsonSpan = (fields: string): string => `{"resourceSpans":[{"scopeSpans":[{"spans":[{${fields}}]}]}]}`;
const jsonAttributes = `"attributes":[${Array.from({ length: COUNT }, (_, i) => `{"key":"k${i}"}`).join(",")}]`;

const JSON_BODIES: Readonly<Record<string, string>> = {
  resources: `{"resourceSpans":${objects(COUNT)}}`,
  scopes: `{"resourceSpans":[{"scopeSpans":${objects(COUNT)}}]}`,
  "attributes of a resource": `{"resourceSpans":[{"resource":{${jsonAttributes}}}]}`,
  spans: `{"resourceSpans":[{"scopeSpans":[{"spans":${objects(COUNT)}}]}]}`,
  events: jsonSpan(`"events":${objects(COUNT)}`),
  links: jsonSpan(`"links":${objects(COUNT)}`),
  attributes: jsonSpan(jsonAttributes),
  "attributes of an event": jsonSpan(`"events":[{${jsonAttributes}}]`),
  "attributes of a link": jsonSpan(`"links":[{${jsonAttributes}}]`),
};

/** Reads a body in steps, counts them, and compares the request with the one that is read at once. */
function stepsOf(body: Buffer, encoding: OtlpEncoding): number {
  const steps = readOtlpInSteps(body, encoding);
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done !== true) continue;
    const atOnce = readOtlpRequest(body, encoding);
    // Deep equality of thirty thousand messages takes seconds; their JSON has all that differs here.
    expect(textOf(step.value) === textOf(atOnce)).toBe(true);
    return count;
  }
}

function textOf(request: unknown): string {
  return JSON.stringify(request, (_, value: unknown) => {
    if (value instanceof Map) return [...(value as ReadonlyMap<string, unknown>)];
    return typeof value === "bigint" ? String(value) : value;
  });
}

describe("A large OTLP request is read in many steps, wherever its many parts are", () => {
  it.each(Object.keys(PROTOBUF))("%s in protobuf", (name) => {
    expect(stepsOf(PROTOBUF[name] ?? Buffer.alloc(0), "application/x-protobuf")).toBeGreaterThan(5);
  });

  it.each(Object.keys(JSON_BODIES))("%s in JSON", (name) => {
    expect(stepsOf(Buffer.from(JSON_BODIES[name] ?? ""), "application/json")).toBeGreaterThan(13);
  });
});
