import type { Span } from "@obspan/sdk/wire";
import type { ReceivedBatch } from "../interfaces.js";
import type { BatchContext } from "../span/span-facts.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { Pipelines } from "./pipelines.js";
import type { ReadSpans } from "./read-spans.js";

/** Keeps the spans of one import. */
export interface ImportStore {
  append(spans: readonly PipelineSpan[]): Promise<void>;
  /** Resolves with the number of traces evicted for them. */
  evictedTraces(): Promise<number>;
}

/** Options of {@link createSpanImporter}. */
export interface SpanImporterOptions {
  readonly readSpans: ReadSpans;
  readonly pipeline: Pipelines["imported"];
  readonly createStore: () => ImportStore;
}

/** Returns a function that begins an import, which sends spans from a file through the import pipeline. */
export function createSpanImporter({ readSpans, pipeline, createStore }: SpanImporterOptions) {
  return function beginImport() {
    const store = createStore();
    return {
      /** Resolves with the number of stored spans. */
      async store(context: BatchContext, spans: readonly Span[], body: Buffer): Promise<number> {
        const batch: ReceivedBatch = {
          parts: [{ from: 0, context }],
          batchId: undefined,
          spans,
          spanCount: spans.length,
          body,
          generatedSpanIds: undefined,
        };
        const read: PipelineSpan[] = [];
        readSpans({ batch, from: 0, to: spans.length }, read);
        let imported = 0;
        const importPipeline = pipeline({
          async consume(stored) {
            imported = stored.length;
            if (imported > 0) await store.append(stored);
          },
        });
        await importPipeline.consume(read);
        return imported;
      },
      evictedTraces: () => store.evictedTraces(),
    };
  };
}
