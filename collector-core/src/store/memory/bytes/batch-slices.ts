import type { Span } from "@obspan/sdk/wire";
import { findSpanSlices } from "../../../span/json-slices.js";
import { readBatchHeader, type Segment, type SliceMemory, type SpanSlice } from "./segment-store.js";

/** Batches per segment whose slices are cached: a reader reads the spans of a batch one after the other. */
const CACHED_BATCHES = 16;

interface SlicedBatch {
  readonly offset: number;
  readonly memory: SliceMemory;
  /** Start and end of each span, alternating. */
  readonly slices: Int32Array;
}

/**
 * Finds the spans in batches that are stored whole. Scanning a batch is left to the first read, and recent results are
 * cached per segment.
 */
export class BatchSlices {
  readonly #cached = new WeakMap<Segment, SlicedBatch[]>();

  /** The JSON of the span `index` of the batch at `offset`. */
  find(segment: Segment, offset: number, index: number): SpanSlice {
    const { memory, slices } = this.#batch(segment, offset);
    const start = slices[index * 2];
    const end = slices[index * 2 + 1];
    if (start === undefined || end === undefined) throw new RangeError(`The batch has no span ${index}.`);
    return { memory, start, end };
  }

  #batch(segment: Segment, offset: number): SlicedBatch {
    let batches = this.#cached.get(segment);
    if (batches === undefined) {
      batches = [];
      this.#cached.set(segment, batches);
    }
    for (const batch of batches) if (batch.offset === offset) return batch;
    const batch = sliceBatch(segment, offset);
    if (batches.length === CACHED_BATCHES) batches.shift();
    batches.push(batch);
    return batch;
  }
}

function sliceBatch(segment: Segment, offset: number): SlicedBatch {
  const { count, start, end } = readBatchHeader(segment, offset);
  const found = findSpanSlices(segment.bytes.subarray(start, end), count);
  if (found !== undefined) return { offset, memory: segment, slices: found.map((at) => at + start) };
  // The scan needs JSON without duplicate or escaped keys: it is written again.
  const { spans } = JSON.parse(segment.bytes.toString("utf8", start, end)) as { spans: Span[] };
  const bytes = Buffer.from(JSON.stringify({ spans }));
  const slices = findSpanSlices(bytes, count);
  if (slices === undefined) throw new Error(`A batch of ${count} spans cannot be told apart.`);
  return { offset, memory: { bytes, readers: 0 }, slices };
}
