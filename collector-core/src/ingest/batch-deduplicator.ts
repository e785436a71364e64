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
  const letIn = new RecentHashes(ENTRIES);
  /** Pending admissions, at most one for each request. */
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
