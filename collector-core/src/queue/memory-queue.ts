import type {
  Admission,
  IngestQueue,
  Lease,
  PressureLevel,
  QueueUsage,
  ReceivedBatch,
} from "../interfaces.js";
import { takeRanges, type TakenRanges, type WaitingBatch } from "./take-ranges.js";
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

/** The in-memory queue. It admits at once, and repeated batches again. */
export interface MemoryQueue extends IngestQueue {
  offer(batch: ReceivedBatch): Exclude<Admission, { type: "repeated" | "unavailable" }>;
}

/**
 * An in-memory FIFO ingestion queue, bounded by spans and by bytes (spec 3.2).
 *
 * A full queue rejects batches (`reject`) or evicts its oldest spans (`drop_oldest`), see contract 2, "Admission".
 * The body of a batch counts towards the bytes until its last span has left the queue.
 */
export function createMemoryQueue(options: MemoryQueueOptions): MemoryQueue {
  /** Batches from index `head` on. The slots before it are empty and removed from time to time. */
  let batches: (WaitingBatch | undefined)[] = [];
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

  function first(): WaitingBatch | undefined {
    return batches[head];
  }

  function removeFirst(): void {
    const removed = batches[head];
    if (removed !== undefined) byteCount -= removed.batch.body.byteLength;
    batches[head] = undefined;
    head++;
    if (head === batches.length) {
      // Not a new array: V8 would allocate it in the old space, where it keeps parsed spans until the next full collection.
      batches.length = 0;
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
      const remaining = oldest.end - oldest.next;
      const count = bytesOver > 0 ? remaining : Math.min(remaining, spansOver);
      oldest.next += count;
      spanCount -= count;
      evicted += count;
      if (oldest.next === oldest.end) removeFirst();
    }
    return evicted;
  }

  function offer(batch: ReceivedBatch): ReturnType<MemoryQueue["offer"]> {
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
    batches.push({
      batch: byteCount <= PARSED_BYTES_KEPT ? batch : { ...batch, spans: undefined },
      next: 0,
      end: batch.spanCount,
      deliveries: 0,
    });
    for (const listener of arrivalListeners) listener();
  }

  function take(maxSpans: number): Lease {
    const taken = takeRanges(maxSpans, { first, removeFirst });
    spanCount -= taken.spanCount;
    inFlight += taken.spanCount;
    updateLevel();
    return lease(taken);
  }

  function lease(taken: TakenRanges): Lease {
    const { ranges, spanCount: count, deliveries } = taken;
    let isOpen = true;
    /** Returns true for the first call. */
    function end(): boolean {
      const isFirst = isOpen;
      if (isFirst) inFlight -= count;
      isOpen = false;
      return isFirst;
    }
    return {
      ranges,
      spanCount: count,
      deliveries,
      ack: () => (end() ? count : 0),
      nack() {
        if (end() && count > 0) giveBack(taken);
      },
    };
  }

  function giveBack({ ranges, batches: taken, spanCount: count }: TakenRanges): void {
    const returned = ranges.map(({ batch, from, to }, index): WaitingBatch => {
      byteCount += batch.body.byteLength;
      return { batch, next: from, end: to, deliveries: (taken[index]?.deliveries ?? 0) + 1 };
    });
    batches = [...returned, ...batches.slice(head)];
    head = 0;
    spanCount += count;
    updateLevel();
    for (const listener of arrivalListeners) listener();
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
      waiting: spanCount,
      level,
      isAvailable: true,
    }),
  };
}
