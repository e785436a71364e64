import type { Span } from "@obspan/sdk/wire";
import { originOf, type PipelineSpan } from "../../../span/pipeline-span.js";
import { copySpliced, splicedLength } from "../../../span/json-splices.js";
import { BatchSlices } from "./batch-slices.js";
import { ReceivedJson } from "./received-json.js";
import {
  readBatchHeader,
  SegmentStore,
  type MemoryInUse,
  type Place,
  type SliceOwner,
  type SpanSlice,
} from "./segment-store.js";
import { digestSpan, type SpanDigest } from "../../traces/span-digest.js";
import { INT, intsAt, type SpanTable } from "../../traces/span-table.js";

/** A span whose JSON is longer keeps its digest beside it, so that a list of traces never parses megabytes. */
const DIGEST_FROM_BYTES = 16 * 1024;
/** A batch of longer spans, on average, is not kept whole: they need digests, and cutting it up costs them little. */
const WHOLE_BATCH_BYTES_PER_SPAN = 4 * 1024;

/** Where a span is kept. */
export interface SpanPlace {
  /** The bytes that its JSON is among: those of its batch, or its own. */
  readonly surroundings: SpanSlice;
  /** Its own. A batch is cut up when this is asked: while the surroundings are held, or before the store changes. */
  readonly slice: () => SpanSlice;
}

/**
 * The JSON of all spans. That of a batch is kept whole, in one piece, where nothing in it was left out; else each span
 * has a slice of its own.
 */
export class SpanBytes {
  readonly #segments: SegmentStore;
  readonly #batchSlices = new BatchSlices();
  /** The batch whose spans are being added, where it is kept whole. */
  #openBatch: Place | undefined;
  /** Of its spans, those that have no row. */
  #rowsMissing = 0;
  readonly #received = new ReceivedJson();

  constructor(
    segmentBytes: number,
    private readonly table: SpanTable,
    evictedInUse: MemoryInUse,
  ) {
    const owner: SliceOwner = {
      holds: (row, segment, offset) => table.holds(row, segment, offset),
      moved: (row, place) => {
        table.setInt(row, INT.segment, place.segment.id);
        table.setInt(row, INT.offset, place.offset);
      },
      holdsInBatch: (row, segment, offset, index) =>
        table.holds(row, segment, offset) && table.int(row, INT.length) === ~index,
      sliceOfBatch: (segment, offset, index) => this.#batchSlices.find(segment, offset, index),
      cutFromBatch: (row, place, length) => this.#setPlace(row, place, length, 0),
    };
    this.#segments = new SegmentStore(segmentBytes, owner, evictedInUse);
  }

  /** Memory held, dead space included. */
  get heldBytes(): number {
    return this.#segments.heldBytes;
  }

  /**
   * Begins with the spans of a batch, of which the one at `from` is the first: where all of them follow, their bytes are
   * kept in one piece, with what stages changed put in its place. Until {@link endBatch} only spans of the batch are added, in any number.
   *
   * @returns where it ends in `spans`, or undefined where it is not kept whole.
   */
  beginBatch(spans: readonly PipelineSpan[], from: number): number | undefined {
    const first = spans[from];
    const received = first && originOf(first).batch;
    if (received === undefined) return undefined;
    const { body, spanCount } = received;
    if (body.length > spanCount * WHOLE_BATCH_BYTES_PER_SPAN) return undefined;
    if (!this.#segments.takesBatch(spanCount, body.length)) return undefined;
    const json = this.#received.ofBatch(spans, from, received);
    if (json === undefined) return undefined;
    this.#openBatch = this.#segments.addBatch(spanCount, json);
    this.#rowsMissing = spanCount;
    return from + spanCount;
  }

  /** True from {@link beginBatch} to {@link endBatch}: its bytes are held, though no row may have them yet. */
  get isInBatch(): boolean {
    return this.#openBatch !== undefined;
  }

  /** Safe where none was begun. */
  endBatch(): void {
    const batch = this.#openBatch;
    if (batch === undefined) return;
    this.#openBatch = undefined;
    if (this.#rowsMissing > 0)
      this.#segments.release(batch.segment.id, batch.chargedBytes * this.#rowsMissing);
  }

  /** Keeps the bytes of a span, and notes in its row where. */
  write(row: number, span: PipelineSpan): void {
    const batch = this.#openBatch;
    if (batch === undefined) {
      this.#writeSlice(row, span);
      return;
    }
    const { index } = originOf(span);
    this.#segments.setRowOfBatch(batch, index, row);
    this.#rowsMissing--;
    this.#setPlace(row, batch, ~index, 0);
  }

  #writeSlice(row: number, span: PipelineSpan): void {
    const { generatedSpanId } = originOf(span);
    const json = this.#received.ofSpan(span);
    const text = json === undefined ? JSON.stringify(span.span) : "";
    const jsonLength = json === undefined ? Buffer.byteLength(text) : splicedLength(json);
    // The id goes in last: where the span came with one that cannot be used, the last of two equal keys counts.
    const idText = generatedSpanId === undefined ? "" : `,"span_id":${JSON.stringify(generatedSpanId)}}`;
    const bodyLength = idText === "" ? jsonLength : jsonLength - 1;
    const length = bodyLength + Buffer.byteLength(idText);
    const digest = length > DIGEST_FROM_BYTES ? JSON.stringify(digestSpan(span.span)) : "";
    const digestLength = Buffer.byteLength(digest);

    const place = this.#segments.addSlice(row, digestLength + length);
    const { bytes } = place.segment;
    const bodyAt = place.offset + digestLength;
    if (digest !== "") bytes.write(digest, place.offset);
    if (json === undefined) bytes.write(text, bodyAt, bodyLength);
    else copySpliced(json, bytes, bodyAt);
    // In the place of the closing brace.
    if (idText !== "") bytes.write(idText, bodyAt + bodyLength);
    this.#setPlace(row, place, digestLength + length, digestLength);
  }

  #setPlace(row: number, place: Place, length: number, digestLength: number): void {
    const { ints } = this.table.page(row);
    const at = intsAt(row);
    ints[at + INT.segment] = place.segment.id;
    ints[at + INT.offset] = place.offset;
    ints[at + INT.chargedBytes] = place.chargedBytes;
    ints[at + INT.length] = length;
    ints[at + INT.digestLength] = digestLength;
  }

  /** Puts the bytes of a span in the place of those that its row has. */
  rewrite(row: number, span: PipelineSpan): void {
    const segment = this.table.int(row, INT.segment);
    const chargedBytes = this.table.int(row, INT.chargedBytes);
    this.write(row, span);
    this.#segments.release(segment, chargedBytes);
  }

  /** Lets go of the bytes of a row. */
  release(row: number): void {
    this.#segments.release(this.table.int(row, INT.segment), this.table.int(row, INT.chargedBytes));
  }

  digest(row: number): SpanDigest {
    const length = this.table.int(row, INT.digestLength);
    if (length === 0) return digestSpan(parseSpan(this.slice(row)));
    const start = this.table.int(row, INT.offset);
    const { bytes } = this.#segments.segment(this.table.int(row, INT.segment));
    return JSON.parse(bytes.toString("utf8", start, start + length)) as SpanDigest;
  }

  /** Where the JSON of a span is, until the store next changes; see `holdForReading`. */
  slice(row: number): SpanSlice {
    return this.place(row).slice();
  }

  /** Where the JSON of a span is, and what it is among. As {@link slice} otherwise. */
  place(row: number): SpanPlace {
    const { table } = this;
    const offset = table.int(row, INT.offset);
    const length = table.int(row, INT.length);
    const memory = this.#segments.segment(table.int(row, INT.segment));
    if (length < 0) {
      const { start, end } = readBatchHeader(memory, offset);
      return {
        surroundings: { memory, start, end },
        slice: () => this.#batchSlices.find(memory, offset, ~length),
      };
    }
    const own = { memory, start: offset + table.int(row, INT.digestLength), end: offset + length };
    return { surroundings: own, slice: () => own };
  }

  clear(): void {
    this.#segments.clear();
  }

  /** Gives memory back without losing a span. @returns false where there is none to give back. */
  reclaim(): boolean {
    return this.#segments.reclaim();
  }

  /** Moves live bytes out of segments that are mostly dead; the work is bounded by `budgetBytes`. */
  compact(budgetBytes: number): void {
    this.#segments.compact(budgetBytes);
  }
}

/** Reads a span from its bytes, as it came. */
function parseSpan({ memory, start, end }: SpanSlice): Span {
  return JSON.parse(memory.bytes.toString("utf8", start, end)) as Span;
}
