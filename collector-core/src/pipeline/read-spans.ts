import type { BatchRange, JsonSlice, PipelineSpan } from "../interfaces.js";
import { findSpanSlices } from "../span/json-slices.js";
import { capAttributes } from "../span/normalize-span.js";
import { readSpanFacts } from "../span/span-facts.js";
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

/** Makes the pipeline span of the span at `index` of the range's batch. */
export type ReadSpan = (index: number) => PipelineSpan;

/**
 * Settles what depends on the batch as a whole (which span is the inference that counts, where each span's bytes
 * stand), and returns what reads its spans one by one.
 */
export type OpenRange = (range: BatchRange) => ReadSpan;

export function createSpanReader({
  maxSpanAttributes,
  leafUsage,
  sampler,
  counters,
}: SpanReaderOptions): OpenRange {
  /** Of batches that are taken in parts: finding the slices reads the whole body. */
  const slicesOfParts = new WeakMap<Buffer, Slices>();
  const onInvalid = (field: string): void => counters.invalidValue(field);

  function slicesOf({ batch: { body, spans }, from, to }: BatchRange): Slices {
    if (from === 0 && to === spans.length) return { found: findSpanSlices(body, spans.length) };
    const known = slicesOfParts.get(body);
    if (known !== undefined) return known;
    const slices = { found: findSpanSlices(body, spans.length) };
    slicesOfParts.set(body, slices);
    return slices;
  }

  return function openRange(range) {
    const { batch, from, to } = range;
    const { context, madeSpanIds, spans } = batch;
    // A batch that is taken in parts is learnt whole, with its first one.
    leafUsage.learn(from === 0 ? spans : spans.slice(from, to), context.tenant);
    let slices: Slices | undefined;

    return function readSpan(index) {
      const received = spans[index];
      if (received === undefined) throw new RangeError(`The batch has no span ${index}.`);
      const madeSpanId = madeSpanIds?.[index];
      const facts = readSpanFacts(received, context, madeSpanId, onInvalid);
      const span = capAttributes(received, maxSpanAttributes);
      const isSampled = sampler.shouldKeep(facts.traceId);
      if (isSampled) slices ??= slicesOf(range);
      return {
        context,
        span,
        madeSpanId,
        facts,
        countsUsage: leafUsage.countsUsage(facts, context.tenant),
        isSampled,
        json: isSampled && span === received ? sliceAt(batch.body, slices?.found, index) : undefined,
      };
    };
  };
}

/** Undefined where the bytes do not tell the spans apart plainly. */
interface Slices {
  readonly found: Int32Array | undefined;
}

function sliceAt(buffer: Buffer, slices: Int32Array | undefined, index: number): JsonSlice | undefined {
  const start = slices?.[index * 2];
  const end = slices?.[index * 2 + 1];
  return start === undefined || end === undefined ? undefined : { buffer, start, end };
}
