import type {
  Admission,
  BatchRange,
  IngestQueue,
  Lease,
  PressureLevel,
  QueueUsage,
  ReceivedBatch,
} from "../interfaces.js";
import { pressureLevel, usagePct, type QueueLimits } from "./pressure.js";

/** Options of {@link createMemoryQueue}. */
export interface MemoryQueueOptions extends QueueLimits {
  /** Called when the pressure level changes, with the usage that caused the change. */
  readonly onLevel: (level: PressureLevel, usagePct: number) => void;
}

/**
 * Up to this many queued bytes, batches keep their parsed spans. Beyond it, they keep only their bytes and are parsed
 * again later: parsed spans use several times the memory of their bytes.
 */
const PARSED_BYTES_KEPT = 8 * 1024 * 1024;

/**
 * Largest sum of the bodies in a lease, unless one batch alone exceeds it. A lease parses its batches in one turn of the
 * event loop, and parsed spans use several times the memory of their bytes.
 */
const FULL_LEASE_BYTES = 1024 * 1024;

/** A batch without its parsed spans. */
type BytesOnly = Omit<ReceivedBatch, "spans"> & { readonly spans: undefined };

/** A queued batch. `next` is the index of its first remaining span. */
interface QueuedBatch {
  batch: ReceivedBatch | BytesOnly;
  next: number;
}

/**
 * An in-memory FIFO ingestion queue, bounded by spans and by bytes (spec 3.2).
 *
 * A full queue rejects batches (`reject`) or evicts its oldest spans (`drop_oldest`), see contract 2, "Admission".
 * The body of a batch counts towards the bytes until its last span has left the queue.
 */
export function createMemoryQueue(options: MemoryQueueOptions): IngestQueue {
  /** Batches from index `head` on. The slots before it are empty and removed from time to time. */
  let batches: (QueuedBatch | undefined)[] = [];
  let head = 0;
  let spanCount = 0;
  let byteCount = 0;
  let inFlight = 0;
  let level: PressureLevel = "normal";
  const arrivalListeners: (() => void)[] = [];

  function currentPct(): number {
    return usagePct(spanCount, byteCount, options);
  }

  function updateLevel(): void {
    const pct = currentPct();
    const reached = pressureLevel(pct, options);
    if (reached === level) return;
    level = reached;
    options.onLevel(level, pct);
  }

  function first(): QueuedBatch | undefined {
    return batches[head];
  }

  function removeFirst(): void {
    const removed = batches[head];
    if (removed !== undefined) byteCount -= removed.batch.body.byteLength;
    batches[head] = undefined;
    head++;
    if (head === batches.length) {
      batches = [];
      head = 0;
    } else if (head >= 1024 && head * 2 >= batches.length) {
      batches = batches.slice(head);
      head = 0;
    }
  }

  /** Evicts single spans from the head until `spans` and `bytes` more fit below the hard limit. Returns their number. */
  function makeRoom(spans: number, bytes: number): number {
    const spansMark = Math.max(spans, Math.floor((options.capacitySpans * options.hardLimitPct) / 100));
    const bytesMark = Math.max(bytes, Math.floor((options.capacityBytes * options.hardLimitPct) / 100));
    let evicted = 0;
    for (let oldest = first(); oldest !== undefined; oldest = first()) {
      const spansOver = spanCount + spans - spansMark;
      const bytesOver = byteCount + bytes - bytesMark;
      if (spansOver <= 0 && bytesOver <= 0) break;
      const remaining = oldest.batch.spanCount - oldest.next;
      const count = bytesOver > 0 ? remaining : Math.min(remaining, spansOver);
      oldest.next += count;
      spanCount -= count;
      evicted += count;
      if (oldest.next === oldest.batch.spanCount) removeFirst();
    }
    return evicted;
  }

  function offer(batch: ReceivedBatch): Admission {
    const { spanCount: spans, body } = batch;
    const bytes = body.byteLength;
    if (spans > options.capacitySpans) {
      const capacity = options.capacitySpans;
      return { type: "batch_too_large", unit: "spans", size: spans, capacity };
    }
    if (bytes > options.capacityBytes) {
      const capacity = options.capacityBytes;
      return { type: "batch_too_large", unit: "bytes", size: bytes, capacity };
    }

    const pct = currentPct();
    const fits = spanCount + spans <= options.capacitySpans && byteCount + bytes <= options.capacityBytes;
    let evicted = 0;
    if (pct >= options.hardLimitPct || !fits) {
      if (options.mode === "reject") {
        return { type: "queue_full", usagePct: pct, hardLimitPct: options.hardLimitPct };
      }
      evicted = makeRoom(spans, bytes);
    }
    if (spans > 0) add(batch, bytes);
    updateLevel();
    return { type: "accepted", evicted };
  }

  function add(batch: ReceivedBatch, bytes: number): void {
    spanCount += batch.spanCount;
    byteCount += bytes;
    batches.push({ batch: byteCount <= PARSED_BYTES_KEPT ? batch : { ...batch, spans: undefined }, next: 0 });
    for (const listener of arrivalListeners) listener();
  }

  function take(maxSpans: number): Promise<Lease> {
    const ranges: BatchRange[] = [];
    let taken = 0;
    let bytes = 0;
    for (let oldest = first(); oldest !== undefined && taken < maxSpans; oldest = first()) {
      const from = oldest.next;
      // Split only a batch larger than a lease, so that work per batch usually happens once.
      if (taken > 0 && taken + oldest.batch.spanCount - from > maxSpans) break;
      bytes += oldest.batch.body.byteLength;
      if (taken > 0 && bytes > FULL_LEASE_BYTES) break;
      const to = Math.min(oldest.batch.spanCount, from + maxSpans);
      const batch = withSpans(oldest.batch);
      oldest.batch = batch;
      ranges.push({ batch, from, to });
      oldest.next = to;
      taken += to - from;
      spanCount -= to - from;
      if (to === oldest.batch.spanCount) removeFirst();
    }
    inFlight += taken;
    updateLevel();
    return Promise.resolve(lease(ranges, taken));
  }

  function lease(ranges: readonly BatchRange[], count: number): Lease {
    let isOpen = true;
    return {
      ranges,
      spanCount: count,
      ack: () => {
        if (isOpen) inFlight -= count;
        isOpen = false;
        return Promise.resolve();
      },
    };
  }

  return {
    offer,
    take,
    onArrival: (listener) => void arrivalListeners.push(listener),
    abandon() {
      const lost = spanCount;
      batches = [];
      head = 0;
      spanCount = 0;
      byteCount = 0;
      updateLevel();
      return Promise.resolve(lost);
    },
    usage: (): QueueUsage => ({
      spans: spanCount,
      bytes: byteCount,
      capacitySpans: options.capacitySpans,
      capacityBytes: options.capacityBytes,
      usagePct: currentPct(),
      inFlight,
      level,
    }),
  };
}

/** Parses the spans of a batch again if they were discarded. The body was validated at admission. */
function withSpans(batch: ReceivedBatch | BytesOnly): ReceivedBatch {
  if (batch.spans !== undefined) return batch;
  const { spans } = JSON.parse(batch.body.toString("utf8")) as Pick<ReceivedBatch, "spans">;
  return { ...batch, spans };
}
