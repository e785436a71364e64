import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeComponent, encodeComponent } from "../../../src/renderer/api/url-component.js";
import { rowElementId } from "../../../src/renderer/features/trace/span-grid.js";
import { traceHref, traceIdOf, tracePath } from "../../../src/renderer/features/trace/trace-address.js";
import { rowId } from "../../../src/renderer/features/traces/trace-row.js";

/** Any sequence of UTF-16 code units, with lone surrogates more often than by chance. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0xd800, max: 0xdfff }),
      fc.constantFrom(0x25, 0x2e, 0x2f, 0x3f, 0x23),
    ),
    { maxLength: 24 },
  )
  .map((units) => units.map((unit) => String.fromCharCode(unit)).join(""));

/** What UTF-8 makes of a text: each lone surrogate becomes U+FFFD. */
const asUtf8 = (text: string): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));

describe("a component of a URL", () => {
  it("holds any text, with U+FFFD for each lone surrogate", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeComponent(encodeComponent(text))).toBe(asUtf8(text));
      }),
    );
    expect(encodeComponent("t\ud800")).toBe("t%EF%BF%BD");
    expect(encodeComponent("\udc00\ud83d\ude00")).toBe("%EF%BF%BD%F0%9F%98%80");
  });

  it("is encoded as encodeURIComponent does where that does not throw", () => {
    fc.assert(
      fc.property(anyText.map(asUtf8), (text) => {
        expect(encodeComponent(text)).toBe(encodeURIComponent(text));
      }),
    );
  });

  it("that is not valid is decoded as it is", () => {
    expect(decodeComponent("%ff%")).toBe("%ff%");
    fc.assert(fc.property(anyText, (text) => typeof decodeComponent(text) === "string"));
  });
});

describe("what is made of ids", () => {
  it("takes any id: the address of a trace, and the elements of rows", () => {
    const view = { tab: "raw", view: "tree" } as const;
    fc.assert(
      fc.property(anyText, anyText, (id, other) => {
        for (const path of [
          traceHref({ traceId: id, tenant: other }),
          tracePath({ traceId: id, tenant: other }, { ...view, spanId: other }),
        ])
          expect(traceIdOf(new URL(path, "http://localhost"))).toBe(asUtf8(id));
        for (const element of [rowId(`${other}\n${id}`), rowElementId(id)]) expect(element).not.toMatch(/\s/);
      }),
    );
  });
});
