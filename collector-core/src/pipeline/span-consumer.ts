import type { MaybePromise } from "../runtime/maybe-promise.js";
import type { PipelineSpan } from "../span/pipeline-span.js";

/**
 * Takes spans: a stage of the pipeline, or its end. A stage is created with the consumer that comes after it and hands on
 * what it keeps, in order; spans that it changes go through `withSpan`.
 */
export interface SpanConsumer {
  /** Done, with everything after it, when this returns or its promise resolves. */
  consume(spans: readonly PipelineSpan[]): MaybePromise<void>;
}

/** Creates a stage, given what comes after it. */
export type CreateStage = (next: SpanConsumer) => SpanConsumer;

/** Joins stages, in the order in which spans pass them, before `end`. */
export function chainOf(stages: readonly CreateStage[], end: SpanConsumer): SpanConsumer {
  return stages.reduceRight((next, createStage) => createStage(next), end);
}
