import type { Span } from "@obspan/sdk/wire";
import type { ReceivedBatch, RestoredTrace } from "../interfaces.js";
import type { SpanMarks } from "../otlp/span-marks.js";
import type { BatchContext } from "../span/span-facts.js";
import type { PipelineSpan } from "../span/pipeline-span.js";
import type { TraceRemains } from "../span/trace-remains.js";
import type { Pipelines } from "./pipelines.js";
import type { ReadSpans } from "./read-spans.js";
import { remainsFromSpans, remainsToSpans } from "./remains-as-spans.js";

/** Keeps the spans of one import. */
export interface ImportStore {
  /** Rejects with `ApiError` trace_store_unavailable while the store keeps nothing. */
  append(spans: readonly PipelineSpan[], restored: readonly RestoredTrace[]): Promise<void>;
  end(): Promise<ImportEnd>;
}

/** What became of the spans of an import. */
export interface ImportEnd {
  /** Traces evicted for them. */
  readonly evictedTraces: number;
  /** Spans that the store took and could not save. */
  readonly unsavedSpans: number;
  /** Why it cannot save them; null if it can again. */
  readonly reason: string | null;
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
      async store(
        context: BatchContext,
        spans: readonly Span[],
        body: Buffer,
        marks: ReadonlyMap<Span, SpanMarks>,
      ): Promise<number> {
        const restored = await readRestored(context, spans, marks);
        const read = (await readBatch(context, spans, body)).map((each) =>
          withMark(each, marks.get(each.span)),
        );
        let imported = 0;
        const importPipeline = pipeline({
          async consume(stored) {
            imported = stored.length;
            if (imported > 0) await store.append(stored, restored);
          },
        });
        await importPipeline.consume(read);
        return imported;
      },
      end: () => store.end(),
    };
  };

  async function readBatch(
    context: BatchContext,
    spans: readonly Span[],
    body: Buffer,
  ): Promise<PipelineSpan[]> {
    const batch: ReceivedBatch = {
      parts: [{ from: 0, context }],
      batchId: undefined,
      spans,
      spanCount: spans.length,
      body,
      generatedSpanIds: undefined,
    };
    return await readSpans([{ batch, from: 0, to: spans.length }]);
  }

  async function readRestored(
    context: BatchContext,
    spans: readonly Span[],
    marks: ReadonlyMap<Span, SpanMarks>,
  ): Promise<RestoredTrace[]> {
    const restored: RestoredTrace[] = [];
    for (const span of spans) {
      const remains = marks.get(span)?.remains;
      if (remains === undefined) continue;
      const { trace_id: traceId } = span;
      restored.push({
        tenant: context.tenant,
        traceId,
        remains: await inPipeline(context, traceId, remains),
      });
    }
    return restored;
  }

  /** Redacts the texts of remains like those of spans: a file may come from a collector that redacts less. */
  async function inPipeline(
    context: BatchContext,
    traceId: string,
    remains: TraceRemains,
  ): Promise<TraceRemains> {
    let redacted: readonly PipelineSpan[] = [];
    const redact = pipeline({
      consume(spans) {
        redacted = spans;
      },
    });
    const spans = remainsToSpans(remains, traceId);
    await redact.consume(await readBatch(context, spans, Buffer.from(JSON.stringify({ spans }))));
    return remainsFromSpans(
      remains,
      redacted.map(({ span }) => span),
    );
  }
}

/** The inner call of a wrapper may be among the spans that the cap dropped, and then no span tells. */
function withMark(span: PipelineSpan, mark: SpanMarks | undefined): PipelineSpan {
  return mark?.isWrapper === true && span.facts.spanType === "llm" ? { ...span, countsUsage: false } : span;
}
