import type { Span } from "@obspan/sdk/wire";
import { findSpanSlices } from "../../../span/json-slices.js";
import { readBatchHeader, type Segment, type SliceMemory, type SpanSlice } from "./segment-store.js";

/** Batches of a segment whose slices are remembered: a reader asks for the spans of one after the other. */
const REMEMBERED_BATCHES = 16;

interface SlicedBatch {
  readonly offset: number;
  readonly memory: SliceMemory;
  /** Start and end of each span in turn. */
  readonly slices: Int32Array;
}

/**
 * Finds the spans in batches that are kept whole. That reads the whole batch, so it is done when somebody asks and not
 * for every span that comes; the last answers are remembered as long as their segment.
 */
export class BatchSlices {
  readonly #remembered = new WeakMap<Segment, SlicedBatch[]>();

  /** Where the JSON of the span `index` is, of the batch at `offset`. */
  find(segment: Segment, offset: number, index: number): SpanSlice {
    const { memory, slices } = this.#batch(segment, offset);
    const start = slices[index * 2];
    const end = slices[index * 2 + 1];
    if (start === undefined || end === undefined) throw new RangeError(`The batch has no span ${index}.`);
    return { memory, start, end };
  }

  #batch(segment: Segment, offset: number): SlicedBatch {
    let batches = this.#remembered.get(segment);
    if (batches === undefined) {
      batches = [];
      this.#remembered.set(segment, batches);
    }
    for (const batch of batches) if (batch.offset === offset) return batch;
    const batch = sliceBatch(segment, offset);
    if (batches.length === REMEMBERED_BATCHES) batches.shift();
    batches.push(batch);
    return batch;
  }
}

function sliceBatch(segment: Segment, offset: number): SlicedBatch {
  const { count, start, end } = readBatchHeader(segment, offset);
  const found = findSpanSlices(segment.bytes.subarray(start, end), count);
  if (found !== undefined) return { offset, memory: segment, slices: found.map((at) => at + start) };
  // The bytes do not tell the spans apart plainly. Written anew they do.
  const { spans } = JSON.parse(segment.bytes.toString("utf8", start, end)) as { spans: Span[] };
  const bytes = Buffer.from(JSON.stringify({ spans }));
  const slices = findSpanSlices(bytes, count);
  if (slices === undefined) throw new Error(`A batch of ${count} spans cannot be told apart.`);
  return { offset, memory: { bytes, readers: 0 }, slices };
}
