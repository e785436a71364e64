import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { capturesIn, inputTokensOf, mapBody, type Encoding } from "./captures.js";

function sum(spans: readonly Span[], key: string): number {
  return spans.reduce((total, { attributes }) => total + Number(attributes?.[key] ?? 0), 0);
}

describe.each(["application/json", "application/x-protobuf"] satisfies Encoding[])(
  "What real libraries send as %s (contract 6)",
  (encoding) => {
    it.each(capturesIn(encoding).map(({ capture, bodies }) => [capture.name, capture, bodies] as const))(
      "%s: every span, its tokens once, its error once",
      (_name, capture, bodies) => {
        const { expected, observed_in_spans: observed } = capture;
        const spans = bodies.flatMap((body) => mapBody(body, encoding));

        expect(spans).toHaveLength(expected.spans);
        expect(new Set(spans.map(({ trace_id: id }) => id))).toEqual(new Set(expected.trace_ids));
        expect(sum(spans, "tokens_input")).toBe(inputTokensOf(capture));
        expect(sum(spans, "tokens_output")).toBe(observed.tokens_output_leaf);
        expect(sum(spans, "tokens_cached")).toBe(expected.tokens_cached_total);

        const leaves = capture.spans.filter((span) => span.leaf_inference).map((span) => span.span_id);
        const calls = spans.filter((span) => span.span_type === "llm" || span.span_type === "embedding");
        expect(calls.map((span) => span.span_id)).toEqual(expect.arrayContaining(leaves));
        for (const { span_id: id, attributes = {} } of spans) {
          if (!leaves.includes(id ?? "")) expect(attributes).not.toHaveProperty("tokens_input");
        }
        for (const { attributes = {} } of calls) {
          expect(attributes["model"]).toEqual(expect.any(String));
          // What has been understood does not stand there twice.
          for (const key of Object.keys(attributes))
            expect(key).not.toMatch(
              /^(?:gen_ai\.(?:input|output)\.messages|ai\.prompt\.messages|llm\.(?:input|output)_messages)/,
            );
        }
      },
    );
  },
);

describe("Errors of real libraries (contract 6)", () => {
  const errorsOf = (name: string) => {
    const found = capturesIn("application/x-protobuf").find(({ capture }) => capture.name === name);
    const spans = (found?.bodies ?? []).flatMap((body) => mapBody(body, "application/x-protobuf"));
    return spans.filter(({ status }) => status === "ERROR");
  };

  it("AI SDK 7 marks three nested spans with one exception: the innermost is the error", () => {
    const errors = errorsOf("aisdk7-error-429-retries");
    expect(errors).toHaveLength(3);
    expect(
      errors.filter((span) => span.error_propagated !== true).map(({ span_type: type }) => type),
    ).toEqual(["llm"]);
    expect(errors[0]?.attributes).toMatchObject({
      error_type: "AI_RetryError",
      error_message: expect.stringContaining("Failed after 3 attempts") as string,
    });
  });

  it("Langfuse marks the error by the level of the observation, with an unset status", () => {
    const [error, ...others] = errorsOf("langfuse-openai-stream-cached-error");
    expect(others).toEqual([]);
    expect(error?.attributes).toMatchObject({
      model: "this-model-does-not-exist",
      error_message: expect.stringContaining("404 The model") as string,
    });
  });

  it("OpenInference around Anthropic's own spans: one call, one error", () => {
    const errors = errorsOf("openinference-anthropic-messages");
    expect(errors).toHaveLength(2);
    expect(errors.filter((span) => span.error_propagated !== true)).toHaveLength(1);
  });
});
