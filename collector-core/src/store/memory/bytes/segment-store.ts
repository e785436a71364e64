import { copySpliced, splicedLength, type SplicedJson } from "../../../span/json-splices.js";

/** Before each piece of a segment: whose it is (a row, or `~count` for a batch of so many spans), and its length. */
const HEADER_BYTES = 8;
/** A batch begins with the row of each of its spans, in turn. */
const ROW_BYTES = 4;
/** In every byte of the row of a span that has none. */
const NO_ROW_BYTE = 0xff;
/** Behind the JSON of a batch, up to its end. */
const SPACE = 0x20;
/** A piece of more than this part of a segment gets memory of its own, so that little is left over at a segment's end. */
const OWN_SEGMENT_DIVISOR = 8;

/** Compaction waits until more than this part of what is held is dead: segments that empty by themselves cost nothing. */
const WASTE_DIVISOR = 4;

/** Memory that slices are in. */
export interface SliceMemory {
  readonly bytes: Buffer;
  /** Readers that may go on with it after its slices are gone: until they have ended it is not written over. */
  readers: number;
  /** Called when the last of them has ended; set where the store itself has let go of the memory. */
  onUnread?: () => void;
}

/** Lets slices be read after the store has changed, until what is returned is called (safe twice). */
export function holdForReading(slices: Iterable<SpanSlice>): () => void {
  const held = new Set<SliceMemory>();
  for (const { memory } of slices) held.add(memory);
  for (const memory of held) memory.readers++;
  return () => {
    for (const memory of held) if (--memory.readers === 0) memory.onUnread?.();
    held.clear();
  };
}

/** Memory that the store let go of while somebody reads it. */
export interface MemoryInUse {
  take(bytes: number): void;
  giveBack(bytes: number): void;
}

/** One piece of memory. Bytes are only ever added, so that a dead slice stays readable until the segment is reused. */
export interface Segment extends SliceMemory {
  readonly id: number;
  readonly view: DataView;
  /** Bytes written, headers included. */
  usedBytes: number;
  /** Of these, bytes that are still kept. */
  liveBytes: number;
  isQueued: boolean;
}

/** Where the JSON of a span is. */
export interface SpanSlice {
  readonly memory: SliceMemory;
  readonly start: number;
  readonly end: number;
}

/** What has been set aside in a segment. */
export interface Place {
  readonly segment: Segment;
  /** Where it starts in the segment. */
  readonly offset: number;
  /** What the owner lets go of by {@link SegmentStore.release}; of a batch, what each of its spans does. */
  readonly chargedBytes: number;
}

/** Told where slices go when a segment is compacted. */
export interface SliceOwner {
  /** True where `row` still keeps its bytes there. */
  holds(row: number, segment: number, offset: number): boolean;
  moved(row: number, place: Place): void;
  /** True where `row` still keeps its bytes as the span `index` of the batch there. */
  holdsInBatch(row: number, segment: number, offset: number, index: number): boolean;
  /** The JSON of the span `index` of the batch there. */
  sliceOfBatch(segment: Segment, offset: number, index: number): SpanSlice;
  /** The span is kept by itself from now on. */
  cutFromBatch(row: number, place: Place, length: number): void;
}

/** Where the JSON of the batch at `offset` is, and how many spans it has. */
export function readBatchHeader(
  { view }: Segment,
  offset: number,
): { count: number; start: number; end: number } {
  const count = ~view.getInt32(offset - HEADER_BYTES);
  const length = view.getInt32(offset - HEADER_BYTES + 4);
  return { count, start: offset + count * ROW_BYTES, end: offset + length };
}

/**
 * Keeps byte slices in large pieces of memory outside the heap, so that they cost the garbage collector nothing: the
 * JSON of one span, or of a whole batch, which is copied at once and cut up when it is read. A segment without a live slice is reused or let go. While a quarter of all is dead, segments of which more than half is
 * dead are compacted: their live slices move on. Not sooner, for the slices of the oldest traces soon go by themselves,
 * and moved among newer ones they would leave holes there. What is held stays within twice of what is kept.
 */
export class SegmentStore {
  readonly #segments: (Segment | undefined)[] = [];
  readonly #freeIds: number[] = [];
  /** Segments to compact, in any order. */
  #queue: Segment[] = [];
  #open: Segment | undefined;
  #spare: Buffer | undefined;
  #heldBytes = 0;
  #liveBytes = 0;

  constructor(
    private readonly segmentBytes: number,
    private readonly owner: SliceOwner,
    private readonly evictedInUse: MemoryInUse,
  ) {}

  /** Bytes of memory held, dead ones included. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The segment of that id, which must hold a live slice. */
  segment(id: number): Segment {
    const segment = this.#segments[id];
    if (segment === undefined) throw new Error(`No segment ${id}.`);
    return segment;
  }

  /** Sets `length` bytes aside for `row`, to be written at once. */
  addSlice(row: number, length: number): Place {
    return this.#allocate(row, length, length + HEADER_BYTES);
  }

  /** True where a batch is small enough to be kept whole. */
  takesBatch(count: number, jsonLength: number): boolean {
    return !this.#needsOwnSegment(batchLength(count, jsonLength) + HEADER_BYTES);
  }

  /** Keeps the JSON of a batch of `count` spans. Each lets go of an equal share, also one that has no row after all. */
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

  /** Says which row the span `index` of a batch has. */
  setRowOfBatch({ segment, offset }: Place, index: number, row: number): void {
    segment.view.setInt32(offset + index * ROW_BYTES, row);
  }

  /** Lets go of so many bytes, which were charged. */
  release(segmentId: number, bytes: number): void {
    const segment = this.segment(segmentId);
    segment.liveBytes -= bytes;
    this.#liveBytes -= bytes;
    if (segment !== this.#open) this.#settle(segment);
    else if (segment.liveBytes === 0 && segment.readers === 0) this.#renew(segment);
  }

  /** Compacts while much is dead, until about `budgetBytes` have been moved. */
  compact(budgetBytes: number): void {
    for (let moved = 0; moved < budgetBytes;) {
      const bytes = this.#compactOne();
      if (bytes === undefined) return;
      moved += bytes;
    }
  }

  /** Gives back what can be given back without losing a live slice. @returns false where there is nothing. */
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
    this.#queue = [];
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
    return total * OWN_SEGMENT_DIVISOR > this.segmentBytes;
  }

  #openFor(total: number): Segment {
    if (this.#open !== undefined && this.#open.usedBytes + total <= this.#open.bytes.length)
      return this.#open;
    const full = this.#open;
    this.#open = this.#create(this.segmentBytes);
    if (full !== undefined) this.#settle(full);
    return this.#open;
  }

  #create(size: number): Segment {
    let bytes: Buffer;
    if (size === this.segmentBytes && this.#spare !== undefined) {
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

  /** Begins the open segment anew. Whoever remembers something of the old one finds that it is another. */
  #renew({ id, bytes }: Segment): void {
    this.#open = newSegment(id, bytes);
    this.#segments[id] = this.#open;
  }

  /** Decides what becomes of a segment that is no longer written to. */
  #settle(segment: Segment): void {
    if (segment.liveBytes === 0) {
      this.#free(segment);
    } else if (!segment.isQueued && segment.liveBytes * 2 < segment.bytes.length) {
      segment.isQueued = true;
      this.#queue.push(segment);
    }
  }

  #free(segment: Segment): void {
    this.#segments[segment.id] = undefined;
    this.#freeIds.push(segment.id);
    const isReusable = segment.bytes.length === this.segmentBytes && segment.readers === 0;
    if (isReusable && this.#spare === undefined) this.#spare = segment.bytes;
    else {
      this.#heldBytes -= segment.bytes.length;
      this.#leaveToReaders(segment);
    }
  }

  /** Memory that is still read is no longer the store's, and is charged elsewhere until nobody reads it. */
  #leaveToReaders(segment: Segment): void {
    if (segment.readers === 0) return;
    const { evictedInUse } = this;
    const { length } = segment.bytes;
    evictedInUse.take(length);
    segment.onUnread = () => evictedInUse.giveBack(length);
  }

  /** @returns bytes moved; undefined where there is nothing to do. */
  #compactOne(): number | undefined {
    const deadBytes = this.#heldBytes - this.#liveBytes;
    if (deadBytes < Math.max(this.#heldBytes / WASTE_DIVISOR, this.segmentBytes * 2)) return undefined;
    const segment = this.#queue.pop();
    if (segment === undefined) return undefined;
    if (this.#segments[segment.id] !== segment) return 0;
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
    if (!this.owner.holds(row, segment.id, offset)) return 0;
    this.owner.moved(row, this.#copy(row, { memory: segment, start: offset, end: offset + length }));
    this.#discharge(segment, length + HEADER_BYTES);
    return length;
  }

  /** Of a batch, what is left is kept span by span. @returns bytes moved. */
  #cutBatch(segment: Segment, offset: number, count: number, length: number): number {
    const share = (length + HEADER_BYTES) / count;
    let moved = 0;
    for (let index = 0; index < count; index++) {
      const row = segment.view.getInt32(offset + index * ROW_BYTES);
      if (row < 0 || !this.owner.holdsInBatch(row, segment.id, offset, index)) continue;
      const slice = this.owner.sliceOfBatch(segment, offset, index);
      const sliceLength = slice.end - slice.start;
      this.owner.cutFromBatch(row, this.#copy(row, slice), sliceLength);
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
  return { id, bytes, view, usedBytes: 0, liveBytes: 0, readers: 0, isQueued: false };
}

/** Rounded up so that every span has an equal share of it, its header included. */
function batchLength(count: number, jsonLength: number): number {
  const total = HEADER_BYTES + count * ROW_BYTES + jsonLength;
  return Math.ceil(total / count) * count - HEADER_BYTES;
}
