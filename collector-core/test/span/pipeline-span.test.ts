import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import { createPipelineSpan, originOf, withSpan, type PipelineSpan } from "../../src/span/pipeline-span.js";
import { readSpanFacts } from "../../src/span/span-facts.js";

const CONTEXT = { tenant: "", service: "shop", env: "test", version: undefined, receivedAtMs: 1000 };

function pipelineSpan(span: Span, generatedSpanId?: string): PipelineSpan {
  const facts = readSpanFacts(span, CONTEXT, generatedSpanId, () => undefined);
  return createPipelineSpan(
    { span, facts, context: CONTEXT, generatedSpanId },
    { isSampled: () => true, countsUsage: () => true },
  );
}

const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant(0.5));
const fields = fc.record(
  {
    name: fc.string(),
    span_type: fc.constantFrom("llm", "tool", "evaluation"),
    status: fc.constantFrom("OK", "ERROR", "RUNNING"),
    start_time: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "nonsense"),
    end_time: fc.constantFrom("2026-01-01T00:00:05Z", "2025-01-01T00:00:05Z"),
    duration_ms: fc.integer(),
    error_propagated: fc.boolean(),
    attributes: fc.dictionary(
      fc.constantFrom(
        ...["model", "provider", "tool_name", "agent", "error_type", "error_message", "other"],
        ...["http.response.status_code", "evaluation_type", "evaluation_score", "tokens_input"],
        ...["tokens_output", "tokens_cached", "cost_usd", "ttft_ms"],
      ),
      value,
    ),
  },
  { requiredKeys: [] },
);

describe("a span that a stage changes", () => {
  it("has the facts of what it then says, whatever changes", () => {
    fc.assert(
      fc.property(fields, fields, (before, change) => {
        const span = { trace_id: "t", span_id: "s", name: "a", ...before } as Span;
        const changed = { ...span, ...change };
        const { facts } = withSpan(pipelineSpan(span), changed);
        expect(facts).toEqual(readSpanFacts(changed, CONTEXT, undefined, () => undefined));
      }),
    );
  });

  it("keeps its origin, the id that was generated for it, and is itself where nothing changed", () => {
    const before = pipelineSpan({ trace_id: "t", name: "a" }, "generated");
    expect(withSpan(before, before.span)).toBe(before);
    const after = withSpan(before, { ...before.span, name: "b" });
    expect(after.origin).toBe(before.origin);
    expect(originOf(after).received.name).toBe("a");
    expect(after.facts).toMatchObject({ name: "b", spanId: "generated" });
  });

  it("keeps what the collector knows of a span that it made and that the span does not say", () => {
    const span: Span = { trace_id: "t", span_id: "s", name: "evaluation", span_type: "evaluation" };
    const made = pipelineSpan(span);
    const derived = { ...made, facts: { ...made.facts, model: "of the evaluated span" } };
    const after = withSpan(derived, { ...span, name: "[REDACTED]" });
    expect(after.facts).toMatchObject({ name: "[REDACTED]", model: "of the evaluated span" });
  });

  it.each(["trace_id", "span_id", "parent_span_id"])("cannot be given another %s", (field) => {
    const before = pipelineSpan({ trace_id: "t", span_id: "s", name: "a" });
    expect(() => withSpan(before, { ...before.span, [field]: "other" })).toThrow(TypeError);
  });
});
