import type { Span } from "@obspan/sdk/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpanHasher } from "../../../../src/hashing/span-hashes.js";
import { originOf } from "../../../../src/span/pipeline-span.js";
import { readSpanFacts } from "../../../../src/span/span-facts.js";
import { bufferedSpan } from "../../../../src/store/sqlite/engine/buffered-span.js";
import { digestSpan } from "../../../../src/store/traces/span-digest.js";

const context = { tenant: "acme", service: "shop", env: "test", version: undefined, receivedAtMs: 5 };
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constant("x".repeat(900)),
);
const messages = fc.array(
  fc.record({
    role: fc.constantFrom("user", "assistant"),
    parts: fc.array(fc.record({ type: fc.constantFrom("text", "blob"), content: text }), { maxLength: 3 }),
  }),
  { maxLength: 3 },
);
const span = fc.record(
  {
    name: text.filter((name) => name !== ""),
    trace_id: fc.constant("trace"),
    span_id: fc.constant("a"),
    parent_span_id: fc.constantFrom("", "b", null),
    span_type: fc.constantFrom("llm", "evaluation", "span", undefined),
    attributes: fc.record(
      {
        input_text: text,
        prompt_text: text,
        output_text: text,
        prompt_messages: messages,
        completion_messages: messages,
        evaluation_type: text,
        evaluation_score: fc.constantFrom(0, 0.5, 1, 7),
        evaluation_label: text,
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["name", "trace_id", "span_id"] },
) as fc.Arbitrary<Span>;

const buffered = (recorded: Span) =>
  bufferedSpan(
    {
      span: recorded,
      context,
      generatedSpanId: undefined,
      labels: undefined,
      computedCostUsd: undefined,
      countsUsage: true,
    },
    new SpanHasher(Int32Array.of(1, 2)),
  );

describe("a span in the buffer of a durable store", () => {
  it("has the facts of the recorded span", () => {
    fc.assert(
      fc.property(span, (recorded) => {
        expect(buffered(recorded).facts).toEqual(
          readSpanFacts(recorded, context, undefined, () => undefined),
        );
      }),
    );
  });

  it("has the digest of a root, a model call or an evaluation, and the name of any other span", () => {
    fc.assert(
      fc.property(span, (recorded) => {
        const { span: kept, facts } = buffered(recorded);
        const digest = digestSpan(recorded);
        const isShown = facts.parentSpanId === "" || ["llm", "evaluation"].includes(facts.spanType);
        expect(digestSpan(JSON.parse(JSON.stringify(kept)) as Span)).toEqual(
          isShown ? digest : { name: digest.name, input: null, output: null, score: null },
        );
      }),
    );
  });

  it("has hashes that depend on the seed of the file only", () => {
    const recorded: Span = { name: "call", trace_id: "trace", span_id: "a", parent_span_id: "b" };
    expect(originOf(buffered(recorded)).hashes).toEqual(originOf(buffered({ ...recorded })).hashes);
    expect(originOf(buffered(recorded)).hashes.parent).toEqual(
      originOf(buffered({ ...recorded, span_id: "b" })).hashes.span,
    );
  });

  it("keeps the labels of a span that the collector created", () => {
    const recorded: Span = { name: "evaluation.x", trace_id: "trace", span_id: "a", span_type: "evaluation" };
    const labels = { model: "small", agent: "planner" };
    const { facts } = bufferedSpan(
      {
        span: recorded,
        context,
        generatedSpanId: undefined,
        labels,
        computedCostUsd: undefined,
        countsUsage: true,
      },
      new SpanHasher(),
    );
    expect(facts).toMatchObject(labels);
  });
});
