/** Before each slice in a segment: the row that it belongs to, and its length. */
const HEADER_BYTES = 8;
/** A slice of more than this part of a segment gets memory of its own, so that little is left over at a segment's end. */
const OWN_SEGMENT_DIVISOR = 8;

/** Compaction waits until more than this part of what is held is dead: segments that empty by themselves cost nothing. */
const WASTE_DIVISOR = 4;

/** Told where slices go when a segment is compacted. */
export interface SliceOwner {
  /** True where `row` still keeps its bytes there. */
  holds(row: number, segment: number, offset: number): boolean;
  moved(row: number, segment: number, offset: number): void;
}

/** One piece of memory. Bytes are only ever added, so that a dead slice stays readable until the segment is reused. */
export interface Segment {
  readonly id: number;
  readonly bytes: Buffer;
  /** Bytes written, headers included. */
  usedBytes: number;
  /** Of these, bytes that are still kept. */
  liveBytes: number;
  /** A reader may go on with it after its slices are gone: it is never written over, only let go. */
  isShared: boolean;
  isQueued: boolean;
}

/**
 * Keeps byte slices in large pieces of memory outside the heap, so that they cost the garbage collector nothing. A
 * segment without a live slice is reused or let go. While a quarter of all is dead, segments of which more than half is
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

  /** Sets `length` bytes aside for `row`; the caller at once writes them where the used bytes of the segment end. */
  allocate(row: number, length: number): Segment {
    const total = length + HEADER_BYTES;
    const segment =
      total * OWN_SEGMENT_DIVISOR > this.segmentBytes ? this.#create(total) : this.#openFor(total);
    const header = segment.usedBytes;
    segment.bytes.writeUInt32LE(row, header);
    segment.bytes.writeUInt32LE(length, header + 4);
    segment.usedBytes += total;
    segment.liveBytes += total;
    this.#liveBytes += total;
    return segment;
  }

  /** Lets go of a slice. */
  release(segmentId: number, length: number): void {
    const segment = this.segment(segmentId);
    segment.liveBytes -= length + HEADER_BYTES;
    this.#liveBytes -= length + HEADER_BYTES;
    if (segment !== this.#open) this.#settle(segment);
    else if (segment.liveBytes === 0 && !segment.isShared) segment.usedBytes = 0;
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
  relieve(): boolean {
    if (this.#spare !== undefined) {
      this.#heldBytes -= this.#spare.length;
      this.#spare = undefined;
      return true;
    }
    return this.#compactOne() !== undefined;
  }

  clear(): void {
    this.#segments.length = 0;
    this.#freeIds.length = 0;
    this.#queue = [];
    this.#open = undefined;
    this.#spare = undefined;
    this.#heldBytes = 0;
    this.#liveBytes = 0;
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
    const id = this.#freeIds.pop() ?? this.#segments.length;
    const segment = { id, bytes, usedBytes: 0, liveBytes: 0, isShared: false, isQueued: false };
    this.#segments[id] = segment;
    return segment;
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
    const isReusable = segment.bytes.length === this.segmentBytes && !segment.isShared;
    if (isReusable && this.#spare === undefined) this.#spare = segment.bytes;
    else this.#heldBytes -= segment.bytes.length;
  }

  /** @returns bytes moved; undefined where there is nothing to do. */
  #compactOne(): number | undefined {
    const deadBytes = this.#heldBytes - this.#liveBytes;
    if (deadBytes < Math.max(this.#heldBytes / WASTE_DIVISOR, this.segmentBytes * 2)) return undefined;
    const segment = this.#queue.pop();
    if (segment === undefined) return undefined;
    if (this.#segments[segment.id] !== segment) return 0;
    let moved = 0;
    let at = 0;
    while (segment.liveBytes > 0) {
      const row = segment.bytes.readUInt32LE(at);
      const length = segment.bytes.readUInt32LE(at + 4);
      const offset = at + HEADER_BYTES;
      at = offset + length;
      if (!this.owner.holds(row, segment.id, offset)) continue;
      const target = this.allocate(row, length);
      const targetOffset = target.usedBytes - length;
      segment.bytes.copy(target.bytes, targetOffset, offset, at);
      this.owner.moved(row, target.id, targetOffset);
      segment.liveBytes -= length + HEADER_BYTES;
      this.#liveBytes -= length + HEADER_BYTES;
      moved += length;
    }
    this.#free(segment);
    return moved;
  }
}
