import type { Span } from "@obspan/sdk/wire";
import { createPipelineSpan, type SpanDecisions } from "../span/pipeline-span.js";
import { readSpanFacts, type BatchContext, type SpanFacts } from "../span/span-facts.js";
import type { SpanConsumer } from "./span-consumer.js";

/** A span that the collector made of one that it received: an evaluation. */
export interface DerivedSpan {
  readonly span: Span;
  /** That of the span it was made of. */
  readonly context: BatchContext;
  /** Labels that the span itself does not carry: those of the span it was made of. */
  readonly labels: Pick<SpanFacts, "model" | "agent">;
}

/** Kept whatever the sampling of its trace, and no call of its own. */
const DECISIONS: SpanDecisions = { isSampled: () => true, countsUsage: () => false };

/** Options of {@link createDerivedSpans}. */
export interface DerivedSpansOptions {
  /** The pipeline of derived spans. */
  readonly pipeline: SpanConsumer;
  readonly onError: (where: string, error: unknown) => void;
}

/** @returns sends a derived span through the pipeline; never rejects. */
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
