import { createPipelineSpan, type SpanDecisions } from "../span/pipeline-span.js";
import type { DerivedSpan } from "../interfaces.js";
import { readSpanFacts } from "../span/span-facts.js";
import type { SpanConsumer } from "./span-consumer.js";

/** Derived spans bypass sampling and do not count as calls. */
const DECISIONS: SpanDecisions = { isSampled: () => true, countsUsage: () => false };

/** Options of {@link createDerivedSpans}. */
export interface DerivedSpansOptions {
  /** The pipeline of derived spans. */
  readonly pipeline: SpanConsumer;
  readonly onError: (where: string, error: unknown) => void;
}

/** @returns a function that sends a derived span through the pipeline and never rejects. */
export function createDerivedSpans({ pipeline, onError }: DerivedSpansOptions) {
  return async function deliver({ span, context, labels }: DerivedSpan): Promise<void> {
    try {
      const facts = { ...readSpanFacts(span, context, undefined, () => undefined), ...labels };
      await pipeline.consume([createPipelineSpan({ span, facts, context }, DECISIONS)]);
    } catch (error) {
      onError("pipeline", error);
    }
  };
}
