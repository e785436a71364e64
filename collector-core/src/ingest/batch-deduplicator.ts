import type { Clock } from "../runtime/clock.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";
import { RecentHashes } from "../hashing/recent-hashes.js";
import { SeededHash } from "../hashing/seeded-hash.js";

/** Minimum number of batches that are remembered, each for 10 minutes (contract 1). */
const REMEMBERED_BATCHES = 10_000;
/** A batch takes two entries, one for each half of its hash: a collision loses a batch, so that one half is too short. */
const ENTRIES = REMEMBERED_BATCHES * 2;
const REMEMBERED_MS = 10 * 60_000;

/** Identifies a batch. The sender chooses the id, so that it is unique only within its tenant and service. */
export interface BatchKey {
  readonly tenant: string;
  readonly service: string;
  readonly batchId: string;
}

/** Admits a batch once. A sender that receives no response sends the batch again. */
export interface BatchDeduplicator {
  /**
   * Calls `admit` unless it has succeeded for the key before. A repeated batch waits for a pending call. If that call
   * fails, the repeated batch is admitted as a new one.
   *
   * @returns true for a new batch, false for a repeated one.
   */
  once(key: BatchKey, admit: () => MaybePromise<void>): MaybePromise<boolean>;
}

/**
 * Stores keys as hashes, outside the heap. The probability that a new batch collides with a known one, and is lost, is
 * one in 10^14.
 */
export function createBatchDeduplicator(clock: Pick<Clock, "monotonic">): BatchDeduplicator {
  const hash = new SeededHash();
  const admitted = new RecentHashes(ENTRIES);
  /** Pending admissions, at most one for each request. */
  const pending = new Map<number, Promise<void>>();

  return {
    once({ tenant, service, batchId }, admit) {
      const { lo, hi, number } = hash.of(hash.ofPair(tenant, service).number, batchId);

      const swapped = { lo: hi, hi: lo };

      function isKnown(): boolean {
        if (admitted.addedAt(hi, swapped) === undefined) return false;
        const admittedAtMs = admitted.addedAt(lo, { lo, hi });
        return admittedAtMs !== undefined && clock.monotonic() - admittedAtMs <= REMEMBERED_MS;
      }
      function admitNew(): MaybePromise<boolean> {
        const admission = whenResolved(admit(), () => {
          const nowMs = clock.monotonic();
          admitted.add(lo, { lo, hi }, nowMs);
          admitted.add(hi, swapped, nowMs);
          return true;
        });
        if (admission instanceof Promise) {
          const remove = (): void => void pending.delete(number);
          pending.set(number, admission.then(remove, remove));
        }
        return admission;
      }
      return whenResolved(pending.get(number), () => (isKnown() ? false : admitNew()));
    },
  };
}
