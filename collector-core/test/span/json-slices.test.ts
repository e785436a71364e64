import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSpanSlices } from "../../src/span/json-slices.js";

function slicesOf(text: string): unknown[] | undefined {
  const bytes = Buffer.from(text);
  const { spans } = JSON.parse(text) as { spans: unknown[] };
  const slices = findSpanSlices(bytes, spans.length);
  if (slices === undefined) return undefined;
  return spans.map(
    (_, index) => JSON.parse(bytes.toString("utf8", slices[index * 2], slices[index * 2 + 1])) as unknown,
  );
}

describe("finding each span in the bytes of its batch", () => {
  it("gives the bytes that parse to the span, whatever stands in them and around them", () => {
    const span = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());
    const others = fc.dictionary(
      fc.string({ unit: "binary" }).filter((key) => key !== "spans"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        fc.array(span),
        others,
        others,
        fc.constantFrom(undefined, 2, "\t"),
        (spans, before, after, indent) => {
          const text = JSON.stringify({ ...before, spans, ...after }, undefined, indent);
          const found = slicesOf(text);
          if (found !== undefined) expect(found).toEqual((JSON.parse(text) as { spans: unknown[] }).spans);
          else expect(text).toContain("\\");
        },
      ),
    );
  });

  it("is not misled by brackets, quotes and the word spans inside strings", () => {
    const spans = [{ name: 'a"}]{[\\' }, { spans: [{ spans: "spans" }] }, {}];
    expect(slicesOf(JSON.stringify({ service: "spans", x: ["spans", { spans: [{}] }], spans }))).toEqual(
      spans,
    );
  });

  it("gives up where the key comes twice or is written with escapes", () => {
    expect(slicesOf('{"spans":[{"a":1}],"spans":[{"b":2}]}')).toBeUndefined();
    expect(slicesOf('{"spans":[{"a":1}],"sp\\u0061ns":[{"b":2}]}')).toBeUndefined();
  });
});
