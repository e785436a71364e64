import type { Span } from "@obspan/sdk/wire";
import type { Lease, ReceivedBatch } from "../../interfaces.js";
import { takeRanges, type TakenRanges, type WaitingBatch } from "../take-ranges.js";
import { readSpansOf, type BatchEntry } from "./entries.js";

/** What is fetched ahead: enough to keep the worker busy, and little that another collector could have processed. */
const MAX_WAITING_SPANS = 2048;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** What this collector holds and has not acknowledged. */
const MAX_HELD_SPANS = 20_000;
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** An entry that was fetched and is not yet acknowledged. */
export interface HeldEntry extends BatchEntry {
  /** Ends the entry. `isOurs` is false if another collector acknowledged it first, or nobody did. */
  readonly settle: (isOurs: boolean) => void;
}

/** Options of {@link createHeldEntries}. */
export interface HeldEntriesOptions {
  /** Called when all spans of an entry are processed. `settle` ends the entry. */
  readonly onProcessed: (entry: HeldEntry) => void;
  /** Called for an entry whose body is not that of a batch. `settle` ends the entry. */
  readonly onUnreadable: (entry: HeldEntry) => void;
  /** Called when the worker has made room for more entries. */
  readonly onRoom: () => void;
  /** The spans of an entry, if they are known without its bytes. */
  readonly spansOf: (id: string) => readonly Span[] | undefined;
}

/** The entries that this collector has fetched: the worker takes them, and they are acknowledged when all their spans are processed. */
export interface HeldEntries {
  /** @param deliveries - how often the entries were given to a collector before. */
  add(entries: readonly BatchEntry[], deliveries?: number): void;
  take(maxSpans: number): Lease;
  onArrival(listener: () => void): void;
  /** Gives up entries that another collector has now. Those whose spans are all processed are left to their acknowledgement. */
  lose(ids: readonly string[]): void;
  /** True if more entries may be fetched. */
  hasRoom(): boolean;
  has(id: string): boolean;
  ids(): readonly string[];
  /** Calls the listeners of arrivals. */
  announce(): void;
  /** Forgets everything; leases that are still open account for nothing. */
  clear(): void;
  readonly waitingSpans: number;
  readonly inFlight: number;
}

/** A held entry with its open spans. */
interface OpenEntry extends HeldEntry {
  open: number;
  readonly settled: Promise<boolean>;
}

/** A part of an entry that waits to be taken. */
interface WaitingEntry extends WaitingBatch {
  readonly entry: OpenEntry;
}

export function createHeldEntries(options: HeldEntriesOptions): HeldEntries {
  const held = new Map<string, OpenEntry>();
  let heldSpans = 0;
  let heldBytes = 0;
  let waiting: WaitingEntry[] = [];
  let waitingSpans = 0;
  let waitingBytes = 0;
  let inFlight = 0;
  const arrivalListeners: (() => void)[] = [];

  function hold(entry: BatchEntry): OpenEntry {
    const { spanCount, body } = entry.batch;
    let resolve = (_isOurs: boolean): void => undefined;
    const settled = new Promise<boolean>((resolved) => (resolve = resolved));
    const opened: OpenEntry = {
      ...entry,
      open: spanCount,
      settled,
      settle(isOurs) {
        if (!isHeld(opened)) return;
        held.delete(entry.id);
        heldSpans -= spanCount;
        heldBytes -= body.byteLength;
        resolve(isOurs);
        options.onRoom();
      },
    };
    held.set(entry.id, opened);
    heldSpans += spanCount;
    heldBytes += body.byteLength;
    return opened;
  }

  /** False once the entry is settled. It may have come again since. */
  function isHeld(entry: OpenEntry): boolean {
    return held.get(entry.id) === entry;
  }

  function isWaiting(part: WaitingEntry): void {
    waitingSpans += part.end - part.next;
    waitingBytes += part.batch.body.byteLength;
  }

  function announce(): void {
    for (const listener of arrivalListeners) listener();
  }

  function removeFirst(): void {
    const removed = waiting.shift();
    if (removed !== undefined) waitingBytes -= removed.batch.body.byteLength;
  }

  function read({ batch, entry }: WaitingEntry): ReceivedBatch | undefined {
    if (batch.spans !== undefined) return batch;
    const known = options.spansOf(entry.id);
    const spans = known?.length === batch.spanCount ? known : readSpansOf(batch);
    return spans && { ...batch, spans };
  }

  function take(maxSpans: number): Lease {
    const taken = takeRanges(maxSpans, {
      first: () => waiting[0],
      removeFirst,
      parse: read,
      onUnreadable({ entry, next, end }) {
        waitingSpans -= end - next;
        options.onUnreadable(entry);
      },
    });
    waitingSpans -= taken.spanCount;
    inFlight += taken.spanCount;
    if (taken.spanCount > 0) options.onRoom();
    return lease(taken);
  }

  function lease(taken: TakenRanges<WaitingEntry>): Lease {
    const { ranges, spanCount, deliveries, batches } = taken;
    let isOpen = spanCount > 0;
    return {
      ranges,
      spanCount,
      deliveries,
      async ack() {
        if (!isOpen) return 0;
        isOpen = false;
        let ours = 0;
        await Promise.all(
          ranges.map(async ({ from, to }, index) => {
            const entry = (batches[index] as WaitingEntry).entry;
            entry.open -= to - from;
            if (entry.open === 0 && isHeld(entry)) options.onProcessed(entry);
            if (await entry.settled) ours += to - from;
          }),
        );
        inFlight -= spanCount;
        return ours;
      },
      nack() {
        if (!isOpen) return;
        isOpen = false;
        inFlight -= spanCount;
        const returned = ranges
          .map(({ batch, from, to }, index): WaitingEntry => {
            const { entry, deliveries: before } = batches[index] as WaitingEntry;
            return { entry, batch, next: from, end: to, deliveries: before + 1 };
          })
          .filter(({ entry }) => isHeld(entry));
        returned.forEach(isWaiting);
        waiting = [...returned, ...waiting];
        announce();
      },
    };
  }

  return {
    add(entries, deliveries = 0) {
      for (const each of entries) {
        if (held.has(each.id)) continue;
        const entry = hold(each);
        const part = { entry, batch: each.batch, next: 0, end: each.batch.spanCount, deliveries };
        isWaiting(part);
        waiting.push(part);
      }
      announce();
    },
    lose(ids) {
      const lost = new Set(
        ids.map((id) => held.get(id)).filter((entry) => entry !== undefined && entry.open > 0),
      );
      waiting = waiting.filter(({ entry, next, end, batch }) => {
        if (!lost.has(entry)) return true;
        waitingSpans -= end - next;
        waitingBytes -= batch.body.byteLength;
        return false;
      });
      for (const entry of lost) entry?.settle(false);
    },
    take,
    announce,
    onArrival: (listener) => void arrivalListeners.push(listener),
    hasRoom: () =>
      waitingSpans < MAX_WAITING_SPANS &&
      waitingBytes < MAX_WAITING_BYTES &&
      heldSpans < MAX_HELD_SPANS &&
      heldBytes < MAX_HELD_BYTES,
    has: (id) => held.has(id),
    ids: () => [...held.keys()],
    clear() {
      waiting = [];
      waitingSpans = 0;
      waitingBytes = 0;
      for (const entry of held.values()) entry.settle(false);
    },
    get waitingSpans() {
      return waitingSpans;
    },
    get inFlight() {
      return inFlight;
    },
  };
}
