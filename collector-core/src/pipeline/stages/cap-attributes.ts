import { capAttributes } from "../../span/normalize-span.js";
import { withSpan } from "../../span/pipeline-span.js";
import type { SpanConsumer } from "../span-consumer.js";

/** Options of {@link createCapAttributes}. */
export interface CapAttributesOptions {
  /** `limits.max_span_attributes`. */
  readonly maxSpanAttributes: number;
}

/** Removes attributes of a span beyond the cap (spec 2.2 rule 1, contract 1). */
export function createCapAttributes(
  { maxSpanAttributes }: CapAttributesOptions,
  next: SpanConsumer,
): SpanConsumer {
  return {
    consume: (spans) =>
      next.consume(spans.map((each) => withSpan(each, capAttributes(each.span, maxSpanAttributes)))),
  };
}
