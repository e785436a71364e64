import type { SpanConsumer } from "../span-consumer.js";

/** Options of {@link createSample}. */
export interface SampleOptions {
  readonly counters: { sampled(kept: number, notKept: number): void };
}

/** Drops the spans of traces that are not sampled (spec 4.9 rule 1). */
export function createSample({ counters }: SampleOptions, next: SpanConsumer): SpanConsumer {
  return {
    consume(spans) {
      const kept = spans.filter(({ isSampled }) => isSampled);
      counters.sampled(kept.length, spans.length - kept.length);
      return next.consume(kept);
    },
  };
}
