import type { Clock } from "../runtime/clock.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";
import { RecentHashes } from "../hashing/recent-hashes.js";
import { SeededHash } from "../hashing/seeded-hash.js";

/** A repeated batch is known among the last 10,000 at least, for 10 minutes (contract 1). */
const REMEMBERED_BATCHES = 10_000;
/** Each is kept twice, by either half of its hash: one half is too little where a batch is lost that is taken for known. */
const ENTRIES = REMEMBERED_BATCHES * 2;
const REMEMBERED_MS = 10 * 60_000;

/** What makes a batch the same one: ids are the sender's own. */
export interface BatchKey {
  readonly tenant: string;
  readonly service: string;
  readonly batchId: string;
}

/** Lets a batch in once: a sender that heard no answer sends it again. */
export interface BatchDeduplicator {
  /**
   * Calls `admit` unless it did its work for that key before. While that is not settled, a repeat waits for it; where it
   * fails, the batch is as new.
   *
   * @returns true for a batch that was let in, false for a repeated one.
   */
  once(key: BatchKey, admit: () => MaybePromise<void>): MaybePromise<boolean>;
}

/**
 * Keys are remembered as hashes, outside the heap. That a new batch is taken for a known one, and so is lost, has a
 * chance of one in 10^14.
 */
export function createBatchDeduplicator(clock: Pick<Clock, "monotonic">): BatchDeduplicator {
  const hash = new SeededHash();
  const letIn = new RecentHashes(ENTRIES);
  /** Batches whose admission is not settled yet; as many as there are requests at most. */
  const underWay = new Map<number, Promise<void>>();

  return {
    once({ tenant, service, batchId }, admit) {
      const { lo, hi, number } = hash.of(hash.ofPair(tenant, service).number, batchId);

      const swapped = { lo: hi, hi: lo };

      function isKnown(): boolean {
        if (letIn.addedAt(hi, swapped) === undefined) return false;
        const letInAtMs = letIn.addedAt(lo, { lo, hi });
        return letInAtMs !== undefined && clock.monotonic() - letInAtMs <= REMEMBERED_MS;
      }
      function admitNew(): MaybePromise<boolean> {
        const admission = whenResolved(admit(), () => {
          const nowMs = clock.monotonic();
          letIn.add(lo, { lo, hi }, nowMs);
          letIn.add(hi, swapped, nowMs);
          return true;
        });
        if (admission instanceof Promise) {
          const forget = (): void => void underWay.delete(number);
          underWay.set(number, admission.then(forget, forget));
        }
        return admission;
      }
      return whenResolved(underWay.get(number), () => (isKnown() ? false : admitNew()));
    },
  };
}
