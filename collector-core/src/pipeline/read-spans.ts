import type { BatchRange, JsonSlice, PipelineSpan } from "../interfaces.js";
import { findSpanSlices } from "../span/json-slices.js";
import { capAttributes } from "../span/normalize-span.js";
import { readSpanFacts } from "../span/span-facts.js";
import type { LeafUsage } from "./leaf-usage.js";
import type { TraceSampler } from "./trace-sampler.js";

/** What {@link readSpans} asks. */
export interface ReadSpansOptions {
  /** `limits.max_span_attributes`. */
  readonly maxSpanAttributes: number;
  readonly leafUsage: LeafUsage;
  readonly sampler: TraceSampler;
  readonly counters: { invalidValue(field: string): void };
}

/**
 * Makes pipeline spans of the spans of a batch: reads their facts, caps their attributes, and settles what depends on
 * the whole batch (which span is the inference that counts) or only on the trace id (the sampling verdict).
 */
export function readSpans({ batch, from, to }: BatchRange, options: ReadSpansOptions): PipelineSpan[] {
  const { context, madeSpanIds } = batch;
  const onInvalid = (field: string): void => options.counters.invalidValue(field);

  const read = batch.spans.slice(from, to).map((received, offset) => {
    const index = from + offset;
    const madeSpanId = madeSpanIds?.[index];
    const facts = readSpanFacts(received, context, madeSpanId, onInvalid);
    const isSampled = options.sampler.shouldKeep(facts.traceId);
    return { index, received, madeSpanId, facts, isSampled };
  });
  options.leafUsage.learn(read, context.tenant);

  const anySampled = read.some(({ isSampled }) => isSampled);
  const slices = anySampled ? findSpanSlices(batch.body, batch.spans.length) : undefined;
  return read.map(({ index, received, madeSpanId, facts, isSampled }): PipelineSpan => {
    const span = capAttributes(received, options.maxSpanAttributes);
    return {
      context,
      span,
      madeSpanId,
      facts,
      countsUsage: options.leafUsage.countsUsage(facts, context.tenant),
      isSampled,
      json: span === received ? sliceAt(batch.body, slices, index) : undefined,
    };
  });
}

function sliceAt(buffer: Buffer, slices: Int32Array | undefined, index: number): JsonSlice | undefined {
  const start = slices?.[index * 2];
  const end = slices?.[index * 2 + 1];
  return start === undefined || end === undefined ? undefined : { buffer, start, end };
}
