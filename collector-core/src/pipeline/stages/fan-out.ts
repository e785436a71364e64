import type { SpanSink } from "../../interfaces.js";
import type { SpanConsumer } from "../span-consumer.js";

/** Options of {@link createFanOut}. */
export interface FanOutOptions {
  /** Each is offered the spans, in this order. */
  readonly sinks: readonly SpanSink[];
  readonly onError: (sink: string, error: unknown) => void;
}

/** The end of a chain: offers the spans to every sink. One that fails does not keep them from the others. */
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
