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

/** What {@link createMemoryQueue} needs. */
export interface MemoryQueueOptions extends QueueLimits {
  /** Told of every change of level, with the use that caused it. */
  readonly onLevel: (level: PressureLevel, usagePct: number) => void;
}

/**
 * While this much waits, the parsed spans wait along and are not parsed twice. Beyond it only the bytes are kept:
 * parsed spans take several times their bytes, and the bound is on memory.
 */
const PARSED_BYTES_KEPT = 8 * 1024 * 1024;

/**
 * Bytes of the bodies of a lease from which it takes no further batch. Those that wait as bytes are parsed in one turn, and
 * parsed spans take several times their bytes: of large bodies a lease has one.
 */
const FULL_LEASE_BYTES = 1024 * 1024;

/** A batch of which only the bytes are kept. */
type BytesOnly = Omit<ReceivedBatch, "spans"> & { readonly spans: undefined };

/** A batch as it waits: `next` is the first of its spans that is still there. */
interface Waiting {
  batch: ReceivedBatch | BytesOnly;
  next: number;
}

/**
 * The ingestion queue in memory, first in, first out, bounded by spans and by bytes (spec 3.2).
 *
 * When full it refuses (`reject`) or lets its oldest spans go (`drop_oldest`), as contract 2 has it under "Admission".
 * A batch is charged with the bytes of its body until its last span has left.
 */
export function createMemoryQueue(options: MemoryQueueOptions): IngestQueue {
  /** Batches from `head` on; the slots before it are empty and are cut off now and then. */
  let waiting: (Waiting | undefined)[] = [];
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

  function first(): Waiting | undefined {
    return waiting[head];
  }

  function removeFirst(): void {
    const gone = waiting[head];
    if (gone !== undefined) byteCount -= gone.batch.body.byteLength;
    waiting[head] = undefined;
    head++;
    if (head === waiting.length) {
      waiting = [];
      head = 0;
    } else if (head >= 1024 && head * 2 >= waiting.length) {
      waiting = waiting.slice(head);
      head = 0;
    }
  }

  /** Lets single spans go from the head until `spans` and `bytes` more stay at or below the hard limit. */
  function makeRoom(spans: number, bytes: number): number {
    const spansMark = Math.max(spans, Math.floor((options.capacitySpans * options.hardLimitPct) / 100));
    const bytesMark = Math.max(bytes, Math.floor((options.capacityBytes * options.hardLimitPct) / 100));
    let evicted = 0;
    for (let oldest = first(); oldest !== undefined; oldest = first()) {
      const spansOver = spanCount + spans - spansMark;
      const bytesOver = byteCount + bytes - bytesMark;
      if (spansOver <= 0 && bytesOver <= 0) break;
      const left = oldest.batch.spanCount - oldest.next;
      const going = bytesOver > 0 ? left : Math.min(left, spansOver);
      oldest.next += going;
      spanCount -= going;
      evicted += going;
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
    waiting.push({ batch: byteCount <= PARSED_BYTES_KEPT ? batch : { ...batch, spans: undefined }, next: 0 });
    for (const listener of arrivalListeners) listener();
  }

  function take(maxSpans: number): Promise<Lease> {
    const ranges: BatchRange[] = [];
    let taken = 0;
    let bytes = 0;
    for (let oldest = first(); oldest !== undefined && taken < maxSpans; oldest = first()) {
      const from = oldest.next;
      // Only a batch that is larger than a lease is cut: what depends on a whole batch is then settled once.
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
    let open = true;
    const close = (): boolean => {
      if (!open) return false;
      open = false;
      inFlight -= count;
      return true;
    };
    return {
      ranges,
      spanCount: count,
      ack: () => {
        close();
        return Promise.resolve();
      },
      nack: () => {
        if (close()) putBack(ranges);
        return Promise.resolve();
      },
    };
  }

  /** Puts leased spans back where they were. A batch whose later spans still wait is joined with them again. */
  function putBack(ranges: readonly BatchRange[]): void {
    for (const { batch, from, to } of ranges.toReversed()) {
      const next = first();
      spanCount += to - from;
      if (next !== undefined && next.batch.body === batch.body && next.next === to) {
        next.next = from;
        continue;
      }
      byteCount += batch.body.byteLength;
      const again: Waiting = { batch: { ...batch, spanCount: to }, next: from };
      if (head > 0) waiting[--head] = again;
      else waiting.unshift(again);
    }
    updateLevel();
  }

  return {
    offer,
    take,
    onArrival: (listener) => void arrivalListeners.push(listener),
    abandon() {
      const lost = spanCount;
      waiting = [];
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

/** The batch with its spans, parsed from the body again where they were let go: it was valid when it was admitted. */
function withSpans(batch: ReceivedBatch | BytesOnly): ReceivedBatch {
  if (batch.spans !== undefined) return batch;
  const { spans } = JSON.parse(batch.body.toString("utf8")) as Pick<ReceivedBatch, "spans">;
  return { ...batch, spans };
}
