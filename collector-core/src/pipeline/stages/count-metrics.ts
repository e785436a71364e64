import type { PipelineSpan } from "../../span/pipeline-span.js";
import type { SpanConsumer } from "../span-consumer.js";

/** Options of {@link createCountMetrics}. */
export interface CountMetricsOptions {
  /** Counts a span in metrics and statistics. */
  readonly record: (span: PipelineSpan) => void;
  /** Called for each span that could not be counted; the stage drops it. */
  readonly onLost: (error: unknown) => void;
}

/** Counts every span in the metrics, sampled or not (spec 1). */
export function createCountMetrics(
  { record, onLost }: CountMetricsOptions,
  next: SpanConsumer,
): SpanConsumer {
  function isCounted(span: PipelineSpan): boolean {
    try {
      record(span);
      return true;
    } catch (error) {
      onLost(error);
      return false;
    }
  }

  return { consume: (spans) => next.consume(spans.filter(isCounted)) };
}
