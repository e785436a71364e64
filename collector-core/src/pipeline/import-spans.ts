import type { Span } from "@obspan/sdk/wire";
import type { ReceivedBatch } from "../interfaces.js";
import type { BatchContext } from "../span/span-facts.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { Pipelines } from "./pipelines.js";
import type { ReadSpans } from "./read-spans.js";

/** Options of {@link createSpanImporter}. */
export interface SpanImporterOptions {
  readonly readSpans: ReadSpans;
  readonly pipeline: Pipelines["imported"];
  /** Stores the spans, and returns how many traces were evicted for them. */
  readonly keep: (spans: readonly PipelineSpan[]) => Promise<number>;
}

/** What became of imported spans. */
export interface ImportedSpans {
  readonly imported: number;
  readonly evictedTraces: number;
}

/** Sends spans out of a file through the pipeline of imported spans. */
export function createSpanImporter({ readSpans, pipeline, keep }: SpanImporterOptions) {
  return async function importSpans(context: BatchContext, spans: readonly Span[]): Promise<ImportedSpans> {
    const batch: ReceivedBatch = {
      parts: [{ from: 0, context }],
      batchId: undefined,
      spans,
      spanCount: spans.length,
      body: Buffer.from(JSON.stringify({ spans })),
      generatedSpanIds: undefined,
    };
    const read: PipelineSpan[] = [];
    readSpans({ batch, from: 0, to: spans.length }, read);
    let result: ImportedSpans = { imported: 0, evictedTraces: 0 };
    const end = pipeline({
      async consume(kept) {
        if (kept.length > 0) result = { imported: kept.length, evictedTraces: await keep(kept) };
      },
    });
    await end.consume(read);
    return result;
  };
}
