import type { Span } from "@obspan/sdk/wire";
import { originOf, type PipelineSpan } from "../../../span/pipeline-span.js";
import { copySpliced, splicedLength } from "../../../span/json-splices.js";
import { BatchSlices } from "./batch-slices.js";
import { ReceivedJson } from "../../received/received-json.js";
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

/** Longer JSON is stored with its digest, so that listing traces never parses megabytes. */
const DIGEST_FROM_BYTES = 16 * 1024;
/** A batch of longer spans on average is split: they need digests, and splitting costs them little. */
const WHOLE_BATCH_BYTES_PER_SPAN = 4 * 1024;

/** Where a span is stored. */
export interface SpanPlace {
  /** The bytes of its batch, or of the span if it is stored by itself. */
  readonly surroundings: SpanSlice;
  /** The bytes of the span. Scans its batch; valid while the surroundings are held, or until the store changes. */
  readonly slice: () => SpanSlice;
}

/** The JSON of all spans. A batch without omissions is stored whole; otherwise each span has its own slice. */
export class SpanBytes {
  readonly #table: SpanTable;
  readonly #segments: SegmentStore;
  readonly #batchSlices = new BatchSlices();
  /** The batch whose spans are being added, if it is stored whole. */
  #openBatch: Place | undefined;
  /** Spans of the open batch without a row. */
  #rowsMissing = 0;
  readonly #received = new ReceivedJson();

  constructor(segmentBytes: number, table: SpanTable, evictedInUse: MemoryInUse) {
    this.#table = table;
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
   * Stores the bytes of the batch of the span at `from` whole, with the changes made by stages, if all its spans follow.
   * Only spans of the batch may be added until {@link endBatch}; some may be left out.
   *
   * @returns the end of the batch in `spans`; undefined if it is not stored whole.
   */
  beginBatch(spans: readonly PipelineSpan[], from: number): number | undefined {
    const first = spans[from];
    const received = first && originOf(first).batch;
    if (received === undefined) return undefined;
    const { body, spanCount } = received;
    if (body.length > spanCount * WHOLE_BATCH_BYTES_PER_SPAN) return undefined;
    if (!this.#segments.fitsBatch(spanCount, body.length)) return undefined;
    const json = this.#received.ofBatch(spans, from, received);
    if (json === undefined) return undefined;
    this.#openBatch = this.#segments.addBatch(spanCount, json);
    this.#rowsMissing = spanCount;
    return from + spanCount;
  }

  /** True from {@link beginBatch} to {@link endBatch}, while no row may refer to the bytes of the batch yet. */
  get isInBatch(): boolean {
    return this.#openBatch !== undefined;
  }

  /** Releases the shares of spans that were left out. Safe without an open batch. */
  endBatch(): void {
    const batch = this.#openBatch;
    if (batch === undefined) return;
    this.#openBatch = undefined;
    if (this.#rowsMissing > 0)
      this.#segments.release(batch.segment.id, batch.chargedBytes * this.#rowsMissing);
  }

  /** Stores the bytes of a span, and their place in its row. */
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
    // The id goes last: if the span has an unusable one, the last of two equal keys counts.
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
    // Overwrites the closing brace.
    if (idText !== "") bytes.write(idText, bodyAt + bodyLength);
    this.#setPlace(row, place, digestLength + length, digestLength);
  }

  #setPlace(row: number, place: Place, length: number, digestLength: number): void {
    const { ints } = this.#table.page(row);
    const at = intsAt(row);
    ints[at + INT.segment] = place.segment.id;
    ints[at + INT.offset] = place.offset;
    ints[at + INT.chargedBytes] = place.chargedBytes;
    ints[at + INT.length] = length;
    ints[at + INT.digestLength] = digestLength;
  }

  /** Replaces the bytes of a row. */
  rewrite(row: number, span: PipelineSpan): void {
    const segment = this.#table.int(row, INT.segment);
    const chargedBytes = this.#table.int(row, INT.chargedBytes);
    this.write(row, span);
    this.#segments.release(segment, chargedBytes);
  }

  /** Releases the bytes of a row. */
  release(row: number): void {
    this.#segments.release(this.#table.int(row, INT.segment), this.#table.int(row, INT.chargedBytes));
  }

  digest(row: number): SpanDigest {
    const length = this.#table.int(row, INT.digestLength);
    if (length === 0) return digestSpan(parseSpan(this.slice(row)));
    const start = this.#table.int(row, INT.offset);
    const { bytes } = this.#segments.segment(this.#table.int(row, INT.segment));
    return JSON.parse(bytes.toString("utf8", start, start + length)) as SpanDigest;
  }

  /** The JSON of a span, valid until the store changes; see `holdForReading`. */
  slice(row: number): SpanSlice {
    return this.place(row).slice();
  }

  /** The JSON of a span with its surroundings; valid as long as {@link slice}. */
  place(row: number): SpanPlace {
    const table = this.#table;
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

  /** Frees memory without losing a span. @returns false if there is none to free. */
  reclaim(): boolean {
    return this.#segments.reclaim();
  }

  /** Moves live bytes out of segments that are mostly dead, up to about `budgetBytes`. */
  compact(budgetBytes: number): void {
    this.#segments.compact(budgetBytes);
  }
}

/** Parses a span as it was received. */
function parseSpan({ memory, start, end }: SpanSlice): Span {
  return JSON.parse(memory.bytes.toString("utf8", start, end)) as Span;
}
