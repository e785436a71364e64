import type { SpanSink } from "../../interfaces.js";
import type { SpanConsumer } from "../span-consumer.js";

/** Options of {@link createFanOut}. */
export interface FanOutOptions {
  /** Receive the spans in this order. */
  readonly sinks: readonly SpanSink[];
  readonly onError: (sink: string, error: unknown) => void;
}

/** Ends a pipeline: offers the spans to every sink. A failing sink does not affect the others. */
export function createFanOut({ sinks, onError }: FanOutOptions): SpanConsumer {
  return {
    async consume(spans) {
      if (spans.length === 0) return;
      for (const sink of sinks) {
        try {
          await sink.offer(spans);
        } catch (error) {
          onError(sink.name, error);
        }
      }
    },
  };
}
