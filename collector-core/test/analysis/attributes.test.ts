import { describe, expect, it } from "vitest";
import { attributeOf, attributesOf, numberOf, textOf } from "../../src/analysis/attributes.js";
import { messageSources, messagesOf } from "../../src/analysis/messages.js";
import { newSpan } from "./spans.js";

describe("attributes of a span", () => {
  it("are read by key, without those of the prototype", () => {
    const span = newSpan("s", null, 0, 1, { attributes: { model: "gpt-5", tokens_input: 3 } });
    expect(textOf(span, "model")).toBe("gpt-5");
    expect(numberOf(span, "tokens_input")).toBe(3);
    expect(attributeOf(span, "constructor")).toBeUndefined();
  });

  it.each([null, undefined, "text", 5, []])("are none if the collector sends %j", (attributes) => {
    const span = newSpan("s", null, 0, 1, { attributes: attributes as never });
    expect(attributesOf(span)).toEqual({});
    expect(textOf(span, "session_id")).toBeUndefined();
    expect(numberOf(span, "ttft_ms")).toBeUndefined();
    expect(messagesOf(span)).toEqual({ input: [], output: [] });
    expect(messageSources(span)).toEqual({});
  });
});
