import { buildSpanTree } from "@obspan/collector-core/analysis";
import { describe, expect, it } from "vitest";
import { sideNote } from "../../../../../src/renderer/features/trace/model/span-notes.js";
import { searchSpans } from "../../../../../src/renderer/features/trace/model/span-search.js";
import { newSpan } from "../spans.js";

describe("what a page says of a span", () => {
  it.each([null, undefined, "text", 5, []])("is nothing if its attributes are %j", (attributes) => {
    const span = newSpan("s", null, 0, 1, { attributes: attributes as never });
    expect(sideNote(span, "agent")).toBeUndefined();
    expect(() => searchSpans(buildSpanTree([span]), "x")).not.toThrow();
  });
});
