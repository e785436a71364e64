import type { MaybePromise } from "../runtime/maybe-promise.js";
import type { PipelineSpan } from "../span/pipeline-span.js";

/**
 * Consumes spans: a pipeline stage, or the end of a pipeline. A stage is created with the next consumer and passes on
 * the spans that it keeps, in order. A stage changes a span with `withSpan`.
 */
export interface SpanConsumer {
  /** Completes when this stage and all stages after it are done. */
  consume(spans: readonly PipelineSpan[]): MaybePromise<void>;
}

/** Creates a stage in front of `next`. */
export type CreateStage = (next: SpanConsumer) => SpanConsumer;

/** Composes stages, in the order in which spans pass through them, in front of `end`. */
export function composeStages(stages: readonly CreateStage[], end: SpanConsumer): SpanConsumer {
  return stages.reduceRight((next, createStage) => createStage(next), end);
}
