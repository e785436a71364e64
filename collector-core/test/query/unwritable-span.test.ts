import type { JsonValue } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { normalizeSpan } from "../../src/span/normalize-span.js";
import { JsonLines } from "../../src/otlp/json-lines.js";
import type { WritableSpan } from "../../src/otlp/request-to-otlp.js";
import { spanJson } from "../../src/query/span-json.js";
import { CONTEXT, spanFacts } from "../pipeline/metrics/support.js";

/** Deeper than JSON.stringify can go. */
function bottomless(): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < 50_000; level++) value = [value];
  return value;
}

function writable(name: string, value: JsonValue): WritableSpan {
  const span = { name, trace_id: "t", span_id: name, attributes: { value } };
  return { context: CONTEXT, span, facts: spanFacts({ name, spanId: name }) };
}

describe("a span that cannot be serialized", () => {
  it("does not end an export: the other spans are complete, and this one lacks attributes and events", () => {
    const spans = [writable("a", 1), writable("deep", bottomless()), writable("b", [1, { c: 2 }])];
    const lines = new JsonLines("0");
    const text = [...lines.write(spans), ...lines.end()].join("");
    for (const name of ["a", "deep", "b"]) expect(text).toContain(`"name":"${name}"`);
    expect(text).toContain('"key":"unreadable"');
    expect(text).toContain('[1,{\\"c\\":2}]');
  });

  it("does not end the response of its trace", () => {
    const { span } = writable("deep", bottomless());
    const written = JSON.parse(spanJson(normalizeSpan(span, CONTEXT), (each) => each)) as object;
    expect(written).toMatchObject({ name: "deep", trace_id: "t", events: [] });
    expect(written).toHaveProperty("attributes.unreadable");
  });
});
