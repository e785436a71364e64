import type { PipelineSpan } from "../../span/pipeline-span.js";
import type { Redactor } from "../redaction/redactor.js";
import type { SpanConsumer } from "../span-consumer.js";

/** Options of {@link createRedact}. */
export interface RedactOptions {
  readonly redactor: Redactor;
  /** Lets the event loop turn between spans: the turn to wait for, or undefined where none is due. */
  readonly turnIfDue: () => Promise<void> | undefined;
}

/**
 * Removes from the text of spans what must not be kept (spec 4.9 rule 4). Spans whose redaction failed go no further
 * where `redaction.drop_on_failure` says so.
 */
export function createRedact({ redactor, turnIfDue }: RedactOptions, next: SpanConsumer): SpanConsumer {
  return {
    async consume(spans) {
      const redacted: PipelineSpan[] = [];
      for (const span of spans) {
        let result = redactor.redact(span);
        if (result instanceof Promise) result = await result;
        if (result !== undefined) redacted.push(result);
        const turn = turnIfDue();
        if (turn !== undefined) await turn;
      }
      await next.consume(redacted);
    },
  };
}
