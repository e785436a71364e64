import type { Span } from "@obspan/sdk/wire";
import type { BatchRange } from "../interfaces.js";
import { JsonTexts } from "../otlp/json-texts.js";
import { OTEL_SPAN_TYPE, spanFromOtel } from "../otlp/span-from-otel.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";
import { createPipelineSpan, type PipelineSpan, type SpanDecisions } from "../span/pipeline-span.js";
import { readSpanFacts, type SpanFacts } from "../span/span-facts.js";
import type { LeafUsage, SpansOfTenant } from "./leaf-usage.js";
import type { LostSpans } from "./lost-spans.js";
import type { TraceSampler } from "./trace-sampler.js";

/** Options of {@link createSpanReader}. */
export interface SpanReaderOptions {
  readonly leafUsage: LeafUsage;
  readonly sampler: TraceSampler;
  readonly counters: { invalidValue(field: string): void };
  /** Records spans that cannot be read. */
  readonly lost: LostSpans;
  /** Yields to the event loop between spans of OpenTelemetry; undefined while the time slice lasts. */
  readonly yieldIfDue: () => Promise<void> | undefined;
}

/** Returns the pipeline spans of ranges of batches, in order. */
export type ReadSpans = (ranges: readonly BatchRange[]) => MaybePromise<PipelineSpan[]>;

/** Converts received spans to pipeline spans: reads their facts, and decides on sampling and usage. */
export function createSpanReader(options: SpanReaderOptions): ReadSpans {
  const { leafUsage, sampler, counters, lost } = options;
  const onInvalid = (field: string): void => counters.invalidValue(field);
  const isSampled = ({ traceId }: SpanFacts): boolean => sampler.shouldKeep(traceId);

  return function readSpans(ranges) {
    const hasSpansOfOtel = ranges.some(({ batch: { spans } }) => spans.some(isOfOtel));
    const spansOf = hasSpansOfOtel
      ? mapOtelSpans(ranges, options)
      : ranges.map(({ batch: { spans } }) => spans);
    return whenResolved(spansOf, (mapped) => decideAndCreate(ranges, mapped));
  };

  /** @param mapped - the spans of the batch of each range. */
  function decideAndCreate(
    ranges: readonly BatchRange[],
    mapped: readonly (readonly Span[])[],
  ): MaybePromise<PipelineSpan[]> {
    const batches = ranges.map(({ batch, from, to }, index): SpansOfTenant => {
      const spans = mapped[index] ?? [];
      // The first of several leases records the parents of the whole batch.
      return { tenant: batch.parts[0].context.tenant, spans: from === 0 ? spans : spans.slice(from, to) };
    });
    return whenResolved(leafUsage.ofBatches(batches), (countsUsage) => {
      const pipelineSpans: PipelineSpan[] = [];
      for (const [index, range] of ranges.entries())
        createSpans(range, mapped[index] ?? [], { isSampled, countsUsage }, pipelineSpans);
      return pipelineSpans;
    });
  }

  /** Appends the pipeline spans of a range to `pipelineSpans`. */
  function createSpans(
    { batch, from, to }: BatchRange,
    spans: readonly Span[],
    decisions: SpanDecisions,
    pipelineSpans: PipelineSpan[],
  ): void {
    const { parts, generatedSpanIds, spans: received } = batch;
    let part = 0;
    for (let index = from; index < to; index++) {
      for (let next = parts[part + 1]; next !== undefined && next.from <= index; next = parts[part + 1])
        part++;
      const { context } = parts[part] ?? parts[0];
      try {
        const span = spans[index];
        if (span === undefined) throw new RangeError(`The batch has no span ${index}.`);
        const generatedSpanId = generatedSpanIds?.[index];
        const facts = readSpanFacts(span, context, generatedSpanId, onInvalid);
        pipelineSpans.push(
          createPipelineSpan(
            { span, received: received[index], facts, context, batch, index, generatedSpanId },
            decisions,
          ),
        );
      } catch (error) {
        lost.add(error);
      }
    }
  }
}

function isOfOtel({ span_type: type }: Span): boolean {
  return type === OTEL_SPAN_TYPE;
}

/** The spans of the batch of each range, with those of the range mapped (contract 6). */
async function mapOtelSpans(
  ranges: readonly BatchRange[],
  { lost, yieldIfDue }: SpanReaderOptions,
): Promise<readonly (readonly Span[])[]> {
  const spansOf: (readonly Span[])[] = [];
  for (const { batch, from, to } of ranges) {
    const texts = new JsonTexts();
    const mapped = [...batch.spans];
    for (let index = from; index < to; index++) {
      const span = mapped[index];
      if (span === undefined || !isOfOtel(span)) continue;
      try {
        mapped[index] = spanFromOtel(span, texts);
      } catch (error) {
        // The span is kept as it came.
        lost.add(error, 0);
      }
      const turn = yieldIfDue();
      if (turn !== undefined) await turn;
    }
    spansOf.push(mapped);
  }
  return spansOf;
}
