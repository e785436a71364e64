import type { Span } from "@obspan/sdk/wire";
import type { Clock, PipelineSpan, ReceivedBatch } from "../interfaces.js";
import type { BatchContext } from "../span/span-facts.js";
import { TimeSlice } from "../time-slice.js";
import { createSpanReader, type SpanReaderOptions } from "./read-spans.js";
import type { Redactor } from "./redaction/redactor.js";

/** What {@link createSpanImporter} joins. */
export interface SpanImporterOptions extends Pick<SpanReaderOptions, "maxSpanAttributes" | "leafUsage"> {
  readonly redactor: Redactor;
  readonly clock: Pick<Clock, "monotonic">;
  /** Keeps the spans, and says how many traces had to make room. */
  readonly keep: (spans: readonly PipelineSpan[]) => Promise<number>;
}

/**
 * Leads spans of a file into the trace store: through the attribute cap and redaction, which hold for all that is kept, and
 * past the rest. No metric counts them, sampling does not choose among them, nothing forwards or judges them again.
 */
export function createSpanImporter(options: SpanImporterOptions) {
  const { maxSpanAttributes, leafUsage, redactor, clock, keep } = options;
  const openRange = createSpanReader({
    maxSpanAttributes,
    leafUsage,
    sampler: { shouldKeep: () => true },
    counters: { invalidValue: () => undefined },
  });

  return async function importSpans(
    context: BatchContext,
    spans: readonly Span[],
  ): Promise<{ imported: number; evictedTraces: number }> {
    const body = Buffer.from(JSON.stringify({ spans }));
    const batch: ReceivedBatch = {
      parts: [{ from: 0, context }],
      batchId: undefined,
      spans,
      spanCount: spans.length,
      body,
      madeSpanIds: undefined,
    };
    const readSpan = openRange({ batch, from: 0, to: spans.length });
    const kept: PipelineSpan[] = [];
    const timeSlice = new TimeSlice(clock);
    for (const index of spans.keys()) {
      const redacted = await redactor.redact(readSpan(index));
      if (redacted !== undefined) kept.push(redacted);
      if (timeSlice.isOver()) await timeSlice.next();
    }
    const evictedTraces = kept.length === 0 ? 0 : await keep(kept);
    return { imported: kept.length, evictedTraces };
  };
}
