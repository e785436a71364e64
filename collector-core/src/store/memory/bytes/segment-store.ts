import { copySpliced, splicedLength, type SplicedJson } from "../../../span/json-splices.js";

/** Header of each piece of a segment: its owner (a row, or `~count` for a batch of `count` spans) and its length. */
const HEADER_BYTES = 8;
/** A batch begins with the rows of its spans. */
const ROW_BYTES = 4;
/** Every byte of the row of a span that is not stored. */
const NO_ROW_BYTE = 0xff;
/** Pads the JSON of a batch. */
const SPACE = 0x20;
/** A piece of more than this part of a segment gets a segment of its own, which bounds the unused end of a segment. */
const OWN_SEGMENT_DIVISOR = 8;

/** Compaction starts when more than this part of the memory is dead: segments that empty by eviction need no copying. */
const WASTE_DIVISOR = 4;

/** Memory that holds slices. */
export interface SliceMemory {
  readonly bytes: Buffer;
  /** Readers that may still use it after its slices were removed: it is not reused before they end. */
  readers: number;
  /** Called when the last reader ends; set if the store released the memory before. */
  onUnread?: () => void;
}

/** Keeps slices readable while the store changes. @returns releases them (safe twice). */
export function holdForReading(slices: Iterable<SpanSlice>): () => void {
  const held = new Set<SliceMemory>();
  for (const { memory } of slices) held.add(memory);
  for (const memory of held) memory.readers++;
  return () => {
    for (const memory of held) if (--memory.readers === 0) memory.onUnread?.();
    held.clear();
  };
}

/** Accounts for memory that the store released while it is still read. */
export interface MemoryInUse {
  take(bytes: number): void;
  release(bytes: number): void;
}

/** A piece of memory. Bytes are only appended, so that a dead slice stays readable until the segment is reused. */
export interface Segment extends SliceMemory {
  readonly id: number;
  readonly view: DataView;
  /** Bytes written, headers included. */
  usedBytes: number;
  /** Written bytes that are still in use. */
  liveBytes: number;
  /** Its place in the queue of segments to compact; {@link NOT_QUEUED} outside the queue. */
  queuePlace: number;
}

const NOT_QUEUED = -1;

/** The JSON of a span. */
export interface SpanSlice {
  readonly memory: SliceMemory;
  readonly start: number;
  readonly end: number;
}

/** Memory allocated in a segment. */
export interface Place {
  readonly segment: Segment;
  /** Its start in the segment. */
  readonly offset: number;
  /** Bytes that the owner passes to {@link SegmentStore.release}; in a batch, those of each span. */
  readonly chargedBytes: number;
}

/** Owns slices by row, and is notified when compaction moves them. */
export interface SliceOwner {
  /** True if the bytes of `row` are there. */
  holds(row: number, segment: number, offset: number): boolean;
  moved(row: number, place: Place): void;
  /** True if the bytes of `row` are those of the span `index` of the batch there. */
  holdsInBatch(row: number, segment: number, offset: number, index: number): boolean;
  /** The JSON of the span `index` of the batch there. */
  sliceOfBatch(segment: Segment, offset: number, index: number): SpanSlice;
  /** The span was copied out of its batch. */
  cutFromBatch(row: number, place: Place, length: number): void;
}

/** Reads the count of spans and the bounds of the JSON of the batch at `offset`. */
export function readBatchHeader(
  { view }: Segment,
  offset: number,
): { count: number; start: number; end: number } {
  const count = ~view.getInt32(offset - HEADER_BYTES);
  const length = view.getInt32(offset - HEADER_BYTES + 4);
  return { count, start: offset + count * ROW_BYTES, end: offset + length };
}

/**
 * Stores byte slices in large segments outside the heap, which the garbage collector does not scan: the JSON of one span, or of
 * a whole batch, which is copied at once and split when it is read. A segment without live slices is reused or freed. While more
 * than a quarter of the memory is dead, segments that are more than half dead are compacted: their live slices are copied to
 * the open segment. Earlier compaction would copy slices of the oldest traces, which are evicted soon and would leave holes
 * among newer ones. The memory held stays within twice the live bytes.
 */
export class SegmentStore {
  readonly #segmentBytes: number;
  readonly #owner: SliceOwner;
  readonly #evictedInUse: MemoryInUse;
  readonly #segments: (Segment | undefined)[] = [];
  readonly #freeIds: number[] = [];
  /** Segments to compact, unordered. A segment leaves it when it is freed: a reference would retain its memory. */
  readonly #queue: Segment[] = [];
  #open: Segment | undefined;
  #spare: Buffer | undefined;
  #heldBytes = 0;
  #liveBytes = 0;

  constructor(segmentBytes: number, owner: SliceOwner, evictedInUse: MemoryInUse) {
    this.#segmentBytes = segmentBytes;
    this.#owner = owner;
    this.#evictedInUse = evictedInUse;
  }

  /** Memory held, dead bytes included. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The segment with that id, which must hold a live slice. */
  segment(id: number): Segment {
    const segment = this.#segments[id];
    if (segment === undefined) throw new Error(`No segment ${id}.`);
    return segment;
  }

  /** Allocates `length` bytes for `row`; the caller writes them at once. */
  addSlice(row: number, length: number): Place {
    return this.#allocate(row, length, length + HEADER_BYTES);
  }

  /** True if a batch is small enough to be stored whole. */
  fitsBatch(count: number, jsonLength: number): boolean {
    return !this.#needsOwnSegment(batchLength(count, jsonLength) + HEADER_BYTES);
  }

  /** Stores the JSON of a batch of `count` spans. Each span is charged an equal share, stored or not. */
  addBatch(count: number, json: SplicedJson): Place {
    const jsonLength = splicedLength(json);
    const length = batchLength(count, jsonLength);
    const place = this.#allocate(~count, length, (length + HEADER_BYTES) / count);
    const { offset, segment } = place;
    const start = offset + count * ROW_BYTES;
    segment.bytes.fill(NO_ROW_BYTE, offset, start);
    copySpliced(json, segment.bytes, start);
    segment.bytes.fill(SPACE, start + jsonLength, offset + length);
    return place;
  }

  /** Sets the row of the span `index` of a batch. */
  setRowOfBatch({ segment, offset }: Place, index: number, row: number): void {
    segment.view.setInt32(offset + index * ROW_BYTES, row);
  }

  /** Releases charged bytes. */
  release(segmentId: number, bytes: number): void {
    const segment = this.segment(segmentId);
    segment.liveBytes -= bytes;
    this.#liveBytes -= bytes;
    if (segment !== this.#open) this.#settle(segment);
    else if (segment.liveBytes === 0 && segment.readers === 0) this.#reset(segment);
  }

  /** Compacts while too much memory is dead, up to about `budgetBytes` of copying. */
  compact(budgetBytes: number): void {
    for (let moved = 0; moved < budgetBytes;) {
      const bytes = this.#compactOne();
      if (bytes === undefined) return;
      moved += bytes;
    }
  }

  /** Frees memory without losing a live slice. @returns false if there is none to free. */
  reclaim(): boolean {
    if (this.#spare !== undefined) {
      this.#heldBytes -= this.#spare.length;
      this.#spare = undefined;
      return true;
    }
    return this.#compactOne() !== undefined;
  }

  clear(): void {
    for (const segment of this.#segments) if (segment !== undefined) this.#leaveToReaders(segment);
    this.#segments.length = 0;
    this.#freeIds.length = 0;
    this.#queue.length = 0;
    this.#open = undefined;
    this.#spare = undefined;
    this.#heldBytes = 0;
    this.#liveBytes = 0;
  }

  #allocate(owner: number, length: number, chargedBytes: number): Place {
    const total = length + HEADER_BYTES;
    const segment = this.#needsOwnSegment(total) ? this.#create(total) : this.#openFor(total);
    const header = segment.usedBytes;
    segment.view.setInt32(header, owner);
    segment.view.setInt32(header + 4, length);
    segment.usedBytes += total;
    segment.liveBytes += total;
    this.#liveBytes += total;
    return { segment, offset: header + HEADER_BYTES, chargedBytes };
  }

  #needsOwnSegment(total: number): boolean {
    return total * OWN_SEGMENT_DIVISOR > this.#segmentBytes;
  }

  #openFor(total: number): Segment {
    if (this.#open !== undefined && this.#open.usedBytes + total <= this.#open.bytes.length)
      return this.#open;
    const full = this.#open;
    this.#open = this.#create(this.#segmentBytes);
    if (full !== undefined) this.#settle(full);
    return this.#open;
  }

  #create(size: number): Segment {
    let bytes: Buffer;
    if (size === this.#segmentBytes && this.#spare !== undefined) {
      bytes = this.#spare;
      this.#spare = undefined;
    } else {
      bytes = Buffer.allocUnsafeSlow(size);
      this.#heldBytes += size;
    }
    const segment = newSegment(this.#freeIds.pop() ?? this.#segments.length, bytes);
    this.#segments[segment.id] = segment;
    return segment;
  }

  /** Resets the open segment as a new object, so that nothing cached for the old one applies. */
  #reset({ id, bytes }: Segment): void {
    this.#open = newSegment(id, bytes);
    this.#segments[id] = this.#open;
  }

  /** Frees a full segment, or queues it for compaction. */
  #settle(segment: Segment): void {
    if (segment.liveBytes === 0) {
      this.#free(segment);
    } else if (segment.queuePlace === NOT_QUEUED && segment.liveBytes * 2 < segment.bytes.length) {
      segment.queuePlace = this.#queue.length;
      this.#queue.push(segment);
    }
  }

  #removeFromQueue(segment: Segment): void {
    const { queuePlace } = segment;
    if (queuePlace === NOT_QUEUED) return;
    segment.queuePlace = NOT_QUEUED;
    const last = this.#queue.pop();
    if (last === undefined || last === segment) return;
    this.#queue[queuePlace] = last;
    last.queuePlace = queuePlace;
  }

  #free(segment: Segment): void {
    this.#removeFromQueue(segment);
    this.#segments[segment.id] = undefined;
    this.#freeIds.push(segment.id);
    const isReusable = segment.bytes.length === this.#segmentBytes && segment.readers === 0;
    if (isReusable && this.#spare === undefined) this.#spare = segment.bytes;
    else {
      this.#heldBytes -= segment.bytes.length;
      this.#leaveToReaders(segment);
    }
  }

  /** Charges memory that is still read to {@link MemoryInUse} until the last reader ends. */
  #leaveToReaders(segment: Segment): void {
    if (segment.readers === 0) return;
    const evictedInUse = this.#evictedInUse;
    const { length } = segment.bytes;
    evictedInUse.take(length);
    segment.onUnread = () => evictedInUse.release(length);
  }

  /** @returns bytes moved; undefined if there is nothing to compact. */
  #compactOne(): number | undefined {
    const deadBytes = this.#heldBytes - this.#liveBytes;
    if (deadBytes < Math.max(this.#heldBytes / WASTE_DIVISOR, this.#segmentBytes * 2)) return undefined;
    const segment = this.#queue.at(-1);
    if (segment === undefined) return undefined;
    let moved = 0;
    for (let at = 0; segment.liveBytes > 0;) {
      const owner = segment.view.getInt32(at);
      const length = segment.view.getInt32(at + 4);
      const offset = at + HEADER_BYTES;
      moved +=
        owner < 0
          ? this.#cutBatch(segment, offset, ~owner, length)
          : this.#move(segment, offset, owner, length);
      at = offset + length;
    }
    this.#free(segment);
    return moved;
  }

  /** @returns bytes moved. */
  #move(segment: Segment, offset: number, row: number, length: number): number {
    if (!this.#owner.holds(row, segment.id, offset)) return 0;
    this.#owner.moved(row, this.#copy(row, { memory: segment, start: offset, end: offset + length }));
    this.#discharge(segment, length + HEADER_BYTES);
    return length;
  }

  /** Copies the remaining spans out of a batch. @returns bytes moved. */
  #cutBatch(segment: Segment, offset: number, count: number, length: number): number {
    const share = (length + HEADER_BYTES) / count;
    let moved = 0;
    for (let index = 0; index < count; index++) {
      const row = segment.view.getInt32(offset + index * ROW_BYTES);
      if (row < 0 || !this.#owner.holdsInBatch(row, segment.id, offset, index)) continue;
      const slice = this.#owner.sliceOfBatch(segment, offset, index);
      const sliceLength = slice.end - slice.start;
      this.#owner.cutFromBatch(row, this.#copy(row, slice), sliceLength);
      this.#discharge(segment, share);
      moved += sliceLength;
    }
    return moved;
  }

  #copy(row: number, { memory, start, end }: SpanSlice): Place {
    const place = this.addSlice(row, end - start);
    memory.bytes.copy(place.segment.bytes, place.offset, start, end);
    return place;
  }

  #discharge(segment: Segment, bytes: number): void {
    segment.liveBytes -= bytes;
    this.#liveBytes -= bytes;
  }
}

function newSegment(id: number, bytes: Buffer): Segment {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { id, bytes, view, usedBytes: 0, liveBytes: 0, readers: 0, queuePlace: NOT_QUEUED };
}

/** The length of a batch, rounded up so that it divides into equal shares with its header. */
function batchLength(count: number, jsonLength: number): number {
  const total = HEADER_BYTES + count * ROW_BYTES + jsonLength;
  return Math.ceil(total / count) * count - HEADER_BYTES;
}
