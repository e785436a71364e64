import type { Span } from "@obspan/sdk/wire";
import { createPipelineSpan, type SpanDecisions } from "../span/pipeline-span.js";
import { readSpanFacts, type BatchContext, type SpanFacts } from "../span/span-facts.js";
import type { SpanConsumer } from "./span-consumer.js";

/** A span that the collector created from a received span, such as an evaluation. */
export interface DerivedSpan {
  readonly span: Span;
  /** Batch context of the source span. */
  readonly context: BatchContext;
  /** Labels of the source span; the derived span does not carry them itself. */
  readonly labels: Pick<SpanFacts, "model" | "agent">;
}

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
