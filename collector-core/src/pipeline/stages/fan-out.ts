import type { KeepSpans, SpanSink } from "../../interfaces.js";
import type { SpanConsumer } from "../span-consumer.js";

/** Options of {@link createFanOut}. */
export interface FanOutOptions {
  /** Keeps the spans before the sinks get them; undefined if no store does. */
  readonly keep: KeepSpans | undefined;
  /** Receive the spans in this order. */
  readonly sinks: readonly SpanSink[];
  readonly onError: (sink: string, error: unknown) => void;
}

/** Ends a pipeline: gives the spans to the trace store, then to every sink. A failure of one does not affect the others. */
export function createFanOut({ keep, sinks, onError }: FanOutOptions): SpanConsumer {
  return {
    async consume(spans) {
      if (spans.length === 0) return;
      try {
        await keep?.(spans);
      } catch (error) {
        onError("trace store", error);
      }
      for (const sink of sinks) {
        try {
          sink.offer(spans);
        } catch (error) {
          onError(sink.name, error);
        }
      }
    },
  };
}
