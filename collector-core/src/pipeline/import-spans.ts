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
  /** Stores the spans and returns how many traces were evicted to make room. */
  readonly store: (spans: readonly PipelineSpan[]) => Promise<number>;
}

/** Result of an import. */
export interface ImportedSpans {
  readonly imported: number;
  readonly evictedTraces: number;
}

/** Sends spans from a file through the import pipeline. */
export function createSpanImporter({ readSpans, pipeline, store }: SpanImporterOptions) {
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
    const importPipeline = pipeline({
      async consume(stored) {
        if (stored.length > 0) result = { imported: stored.length, evictedTraces: await store(stored) };
      },
    });
    await importPipeline.consume(read);
    return result;
  };
}
