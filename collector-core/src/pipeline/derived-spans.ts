import { createPipelineSpan, type SpanDecisions } from "../span/pipeline-span.js";
import type { DerivedSpan } from "../interfaces.js";
import { readSpanFacts } from "../span/span-facts.js";
import type { SpanConsumer } from "./span-consumer.js";

/** Derived spans bypass sampling and do not count as calls. */
const DECISIONS: SpanDecisions = { isSampled: () => true, countsUsage: () => false };

/** @returns a function that sends a derived span through their pipeline. It rejects if the span is not kept. */
export function createDerivedSpans(pipeline: SpanConsumer) {
  return async function deliver({ span, context, labels }: DerivedSpan): Promise<void> {
    const facts = { ...readSpanFacts(span, context, undefined, () => undefined), ...labels };
    await pipeline.consume([createPipelineSpan({ span, facts, context }, DECISIONS)]);
  };
}
