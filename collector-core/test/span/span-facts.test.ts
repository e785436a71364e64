import { describe, expect, it } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import { ERROR_CATEGORIES, errorCategory } from "../../src/span/error-category.js";
import { capAttributes, normalizeSpan } from "../../src/span/normalize-span.js";
import { keptText, truncateCodePoints } from "../../src/span/kept-text.js";
import { readSpanFacts } from "../../src/span/span-facts.js";

const context = {
  tenant: "",
  service: "shop",
  env: "test",
  version: undefined,
  receivedAtMs: Date.parse("2026-11-21T12:00:00.000Z"),
};

function read(fields: Record<string, unknown>) {
  const invalid: string[] = [];
  const span = { name: "chat", trace_id: "t1", span_id: "s1", ...fields } as unknown as Span;
  return { facts: readSpanFacts(span, context, undefined, (field) => invalid.push(field)), invalid };
}

describe("contract 1: what a span means", () => {
  it("fills in span_type span and status OK", () => {
    expect(read({}).facts).toMatchObject({ spanType: "span", status: "OK", parentSpanId: "", model: "" });
  });

  it("takes the duration from both times where it is not given", () => {
    const { facts } = read({ start_time: "2026-11-21T11:59:00.000Z", end_time: "2026-11-21T11:59:00.2505Z" });
    expect(facts.durationMs).toBe(250.5);
  });

  it("lets a span without times end when it arrived", () => {
    const normal = normalizeSpan({ name: "chat", trace_id: "t", duration_ms: 1500 }, context, "made");
    expect(normal).toMatchObject({
      span_id: "made",
      start_time: "2026-11-21T11:59:58.500Z",
      end_time: "2026-11-21T12:00:00.000Z",
    });
  });

  it("lets end_time default to start_time + duration_ms, and start_time to end_time - duration_ms", () => {
    const byStart = normalizeSpan(
      { name: "a", trace_id: "t", start_time: "2026-11-21T10:00:00Z", duration_ms: 0.001 },
      context,
    );
    expect(byStart.end_time).toBe("2026-11-21T10:00:00.000001Z");
    const byEnd = normalizeSpan({ name: "a", trace_id: "t", end_time: 1000, duration_ms: 400 }, context);
    expect(byEnd.start_time).toBe("1970-01-01T00:00:00.600Z");
  });

  it("leaves a value that cannot be used out, counts it and keeps the span", () => {
    for (const [field, value] of [
      ["duration_ms", -1],
      ["duration_ms", 1e10],
      ["duration_ms", "12"],
      ["start_time", "now"],
      ["end_time", -5],
      ["parent_span_id", 7],
      ["parent_span_id", "x".repeat(65)],
      ["span_type", 1],
      ["status", {}],
      ["attributes", []],
      ["events", {}],
    ] as const) {
      expect(read({ [field]: value }).invalid, field).toEqual([field]);
    }
    for (const [key, value] of [
      ["tokens_input", -1],
      ["tokens_input", 1.5],
      ["tokens_output", 2 ** 53],
      ["tokens_output", "12"],
      ["tokens_cached", -1],
      ["tokens_reasoning", "a"],
      ["cost_usd", -0.1],
      ["cost_usd", Infinity],
      ["ttft_ms", "fast"],
      ["model", 5],
      ["agent", { name: "x" }],
    ] as const) {
      expect(read({ attributes: { [key]: value } }).invalid, key).toEqual([key]);
    }
  });

  it("takes an end before its start for no end", () => {
    const { facts, invalid } = read({ start_time: 2000, end_time: 1000 });
    expect(invalid).toEqual(["end_time"]);
    expect(facts.durationMs).toBeUndefined();
  });

  it("answers the end that was sent, with or without a duration", () => {
    const at = (fields: Partial<Span>) => normalizeSpan({ name: "a", trace_id: "t", ...fields }, context);
    expect(at({ end_time: 1000 })).toMatchObject({ end_time: "1970-01-01T00:00:01.000Z", duration_ms: null });
    expect(at({ start_time: 0, end_time: 1000, duration_ms: 500 })).toMatchObject({
      end_time: "1970-01-01T00:00:01.000Z",
      duration_ms: 500,
    });
    expect(at({ start_time: "9999-12-31T23:59:59Z", duration_ms: 1e9 }).end_time).toBe(
      "9999-12-31T23:59:59.999Z",
    );
    expect(at({ start_time: 1.12345e-7 }).start_time).toBe("1970-01-01T00:00:00.000Z");
  });

  it("takes an end more than 1e9 ms after the start for no end", () => {
    expect(read({ start_time: 0, end_time: "2026-01-01T00:00:00Z" }).invalid).toEqual(["end_time"]);
  });

  it("keeps 256 characters of what becomes a label: a list must not carry texts", () => {
    const { facts } = read({ span_type: "x".repeat(1000), attributes: { model: "m".repeat(1000) } });
    expect([facts.spanType.length, facts.model.length]).toEqual([256, 256]);
  });

  it("leaves unusable known attributes out of the answer, and keeps all others as they came", () => {
    const attributes = JSON.parse(
      '{"model":5,"tokens_input":-1,"__proto__":{"x":1},"constructor":"c","mine":[1]}',
    ) as Record<string, never>;
    const answered = normalizeSpan({ name: "a", trace_id: "t", attributes }, context).attributes;
    expect(Object.entries(answered)).toEqual([
      ["__proto__", { x: 1 }],
      ["constructor", "c"],
      ["mine", [1]],
    ]);
    expect(Object.getPrototypeOf(answered)).toBe(Object.prototype);
  });

  it("keeps 256 characters of a name, never half of one", () => {
    const long = `${"x".repeat(255)}😀tail`;
    expect(read({ name: long }).facts.name).toBe(`${"x".repeat(255)}😀`);
    for (const cut of [truncateCodePoints, keptText]) {
      expect(cut("😀😀😀", 2)).toBe("😀😀");
      expect(cut("a text as it is \ud800", 100)).toBe("a text as it is \ud800");
    }
  });

  it("keeps at most 128 events", () => {
    const events = Array.from({ length: 200 }, (_, index) => ({ name: `e${index}`, time: index }));
    const answered = normalizeSpan({ name: "a", trace_id: "t", events }, context).events;
    expect(answered).toHaveLength(128);
    expect(answered[1]).toEqual({ name: "e1", time: "1970-01-01T00:00:00.001Z", attributes: {} });
  });
});

describe("spec 2.2 rule 1: at most limits.max_span_attributes attributes are kept", () => {
  it("keeps known attributes first, then the others in their order", () => {
    const attributes = { a: 1, b: 2, model: "m", c: 3, provider: "p" };
    const capped = capAttributes({ name: "x", trace_id: "t", attributes }, 3);
    expect(Object.keys(capped.attributes ?? {})).toEqual(["model", "provider", "a"]);
  });

  it("gives back the same span where it is within the cap", () => {
    const span = { name: "x", trace_id: "t", attributes: { a: 1, b: 2 } };
    expect(capAttributes(span, 2)).toBe(span);
  });
});

describe("spec 7: errors are normalised into six categories", () => {
  it.each([
    ["TimeoutError", "timeout"],
    ["APITimeoutError", "timeout"],
    ["ETIMEDOUT", "timeout"],
    ["DeadlineExceeded", "timeout"],
    ["504", "timeout"],
    ["RateLimitError", "rate_limit"],
    ["insufficient_quota", "rate_limit"],
    ["429", "rate_limit"],
    ["ThrottlingException", "rate_limit"],
    ["AuthenticationError", "authentication"],
    ["PermissionDeniedError", "authentication"],
    ["401", "authentication"],
    ["invalid_api_key", "authentication"],
    ["BadRequestError", "invalid_request"],
    ["invalid_request_error", "invalid_request"],
    ["NotFoundError", "invalid_request"],
    ["context_length_exceeded", "invalid_request"],
    ["400", "invalid_request"],
    ["InternalServerError", "provider"],
    ["overloaded_error", "provider"],
    ["ECONNREFUSED", "provider"],
    ["ECONNRESET", "provider"],
    ["APIConnectionError", "provider"],
    ["503", "provider"],
    ["TypeError", "internal"],
    ["KeyError", "internal"],
    ["AuthorNotSetException", "internal"],
    ["", "internal"],
  ])("%s is %s", (errorType, category) => expect(errorCategory(errorType)).toBe(category));

  it("takes a category for itself, in any case", () => {
    for (const category of ERROR_CATEGORIES) expect(errorCategory(category.toUpperCase())).toBe(category);
  });

  it("gives a failed span without a class internal, and one that did not fail none", () => {
    expect(read({ status: "ERROR" }).facts.errorCategory).toBe("internal");
    expect(read({}).facts.errorCategory).toBe("");
    expect(read({ attributes: { error_type: "RateLimitError" } }).facts.errorCategory).toBe("");
  });
});
