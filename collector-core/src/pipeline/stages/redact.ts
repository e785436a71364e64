import type { PipelineSpan } from "../../span/pipeline-span.js";
import type { Redactor } from "../redaction/redactor.js";
import type { SpanConsumer } from "../span-consumer.js";

/** Options of {@link createRedact}. */
export interface RedactOptions {
  readonly redactor: Redactor;
  /** Yields to the event loop between spans; undefined while the time slice lasts. */
  readonly yieldIfDue: () => Promise<void> | undefined;
}

/**
 * Redacts the text of spans (spec 4.9 rule 4). With `redaction.drop_on_failure`, drops a span whose redaction fails.
 */
export function createRedact({ redactor, yieldIfDue }: RedactOptions, next: SpanConsumer): SpanConsumer {
  return {
    async consume(spans) {
      const redacted: PipelineSpan[] = [];
      for (const span of spans) {
        let result = redactor.redact(span);
        if (result instanceof Promise) result = await result;
        if (result !== undefined) redacted.push(result);
        const turn = yieldIfDue();
        if (turn !== undefined) await turn;
      }
      await next.consume(redacted);
    },
  };
}
