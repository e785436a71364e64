import type { KeepSpans } from "../../interfaces.js";
import type { SpanConsumer } from "../span-consumer.js";

/**
 * Keeps spans that the collector creates, before anything counts or shows them.
 *
 * @param keep - undefined if no store does.
 * @returns a stage that rejects if they are not kept, or if the stage before has dropped them.
 */
export function createRequireKept(keep: KeepSpans | undefined, next: SpanConsumer): SpanConsumer {
  return {
    async consume(spans) {
      if (spans.length === 0) throw new Error("its redaction failed");
      await keep?.(spans);
      await next.consume(spans);
    },
  };
}
