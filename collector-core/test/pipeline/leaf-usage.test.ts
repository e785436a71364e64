import { describe, expect, it } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import { createLeafUsage, type CountsUsage } from "../../src/pipeline/leaf-usage.js";
import { readSpanFacts, type SpanFacts } from "../../src/span/span-facts.js";
import { hashesOf } from "../../src/hashing/span-hashes.js";

describe("contract 6: tokens and cost count once, on the leaf inference", () => {
  const context = { tenant: "", service: "s", env: "e", version: undefined, receivedAtMs: 0 };
  const span = (fields: Partial<Span>): Span => ({ name: "n", trace_id: "t", span_type: "llm", ...fields });
  const facts = (fields: Partial<Span>) => readSpanFacts(span(fields), context, undefined, () => undefined);

  const counts = (countsUsage: CountsUsage, span: SpanFacts, tenant: string) =>
    countsUsage(span, hashesOf(tenant, span));

  it("treats an llm span with an llm child as a wrapper, in either order within the batch", () => {
    const wrapper = { span_id: "w" };
    const leaf = { span_id: "l", parent_span_id: "w" };
    for (const order of [
      [wrapper, leaf],
      [leaf, wrapper],
    ]) {
      const usage = createLeafUsage({ monotonic: () => 0 }).ofBatches([
        { tenant: "", spans: order.map(span) },
      ]);
      expect(counts(usage, facts(wrapper), "")).toBe(false);
      expect(counts(usage, facts(leaf), "")).toBe(true);
    }
  });

  it("remembers a wrapper across batches for 10 minutes, within the same trace and tenant", () => {
    let nowMs = 0;
    const usage = createLeafUsage({ monotonic: () => nowMs }).ofBatches([
      { tenant: "", spans: [span({ span_id: "l", parent_span_id: "w" })] },
    ]);
    expect(counts(usage, facts({ span_id: "w" }), "")).toBe(false);
    expect(counts(usage, facts({ span_id: "w", trace_id: "other" }), "")).toBe(true);
    expect(counts(usage, facts({ span_id: "w" }), "tenant")).toBe(true);
    nowMs = 10 * 60_000 + 1;
    expect(counts(usage, facts({ span_id: "w" }), "")).toBe(true);
  });

  it("counts usage of an agent span that contains an llm span", () => {
    const agent = { span_id: "a", span_type: "agent" };
    const usage = createLeafUsage({ monotonic: () => 0 }).ofBatches([
      { tenant: "", spans: [span({ span_id: "l", parent_span_id: "a" }), span(agent)] },
    ]);
    expect(counts(usage, facts(agent), "")).toBe(true);
  });

  it("treats a span that names itself as its parent as a root", () => {
    const own = { span_id: "s", parent_span_id: "s" };
    const usage = createLeafUsage({ monotonic: () => 0 }).ofBatches([{ tenant: "", spans: [span(own)] }]);
    expect(facts(own).parentSpanId).toBe("");
    expect(counts(usage, facts(own), "")).toBe(true);
  });
});
