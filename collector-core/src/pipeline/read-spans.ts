import type { BatchRange, PipelineSpan } from "../interfaces.js";
import { capAttributes } from "../span/normalize-span.js";
import { readSpanFacts } from "../span/span-facts.js";
import { hashesOf } from "../span-hashes.js";
import type { LeafUsage } from "./leaf-usage.js";
import type { TraceSampler } from "./trace-sampler.js";

/** What {@link createSpanReader} asks. */
export interface SpanReaderOptions {
  /** `limits.max_span_attributes`. */
  readonly maxSpanAttributes: number;
  readonly leafUsage: LeafUsage;
  readonly sampler: TraceSampler;
  readonly counters: { invalidValue(field: string): void };
}

/** Makes the pipeline span of the span at `index` of the range's batch; one after the other, in their order. */
export type ReadSpan = (index: number) => PipelineSpan;

/** Settles what depends on the batch as a whole, and returns what reads its spans one by one. */
export type OpenRange = (range: BatchRange) => ReadSpan;

export function createSpanReader({
  maxSpanAttributes,
  leafUsage,
  sampler,
  counters,
}: SpanReaderOptions): OpenRange {
  const onInvalid = (field: string): void => counters.invalidValue(field);

  return function openRange({ batch, from, to }) {
    const { parts, madeSpanIds, spans } = batch;
    let part = 0;
    let { context } = parts[0];
    let end = parts[1]?.from ?? spans.length;
    // A batch that is taken in parts is learnt whole, with its first one.
    leafUsage.learn(from === 0 ? spans : spans.slice(from, to), context.tenant);

    /** Spans are read in their order. */
    function enterPartOf(index: number): void {
      for (let next = parts[part + 1]; next !== undefined && next.from <= index; next = parts[part + 1]) {
        context = next.context;
        end = parts[++part + 1]?.from ?? spans.length;
      }
    }

    return function readSpan(index) {
      if (index >= end) enterPartOf(index);
      const received = spans[index];
      if (received === undefined) throw new RangeError(`The batch has no span ${index}.`);
      const madeSpanId = madeSpanIds?.[index];
      const facts = readSpanFacts(received, context, madeSpanId, onInvalid);
      const hashes = hashesOf(context.tenant, facts);
      const span = capAttributes(received, maxSpanAttributes);
      return {
        context,
        span,
        madeSpanId,
        facts,
        hashes,
        countsUsage: leafUsage.countsUsage(facts, hashes),
        isSampled: sampler.shouldKeep(facts.traceId),
        source: span === received ? batch : undefined,
        index,
      };
    };
  };
}
