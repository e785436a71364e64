import { RecentHashes } from "../hashing/recent-hashes.js";
import { SeededHash } from "../hashing/seeded-hash.js";
import type { IngestQueue, ReceivedBatch } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import type { MemoryQueue } from "./memory-queue.js";
import { REMEMBERED_MS } from "./remembered-batches.js";

/** Minimum number of batches that are remembered, each for 10 minutes (contract 1). */
const REMEMBERED_BATCHES = 10_000;
/** A batch takes two entries, one for each half of its hash: a collision loses a batch, so that one half is too short. */
const ENTRIES = REMEMBERED_BATCHES * 2;

/**
 * A queue that admits a batch once: a sender that receives no response sends the batch again. The sender chooses the id, so that
 * it is unique only within its tenant and service. A batch that is not accepted is admitted as a new one when it is repeated.
 *
 * Stores keys as hashes, outside the heap. The probability that a new batch collides with a known one, and is lost, is
 * one in 10^14.
 */
export function withoutRepeats(queue: MemoryQueue, clock: Pick<Clock, "monotonic">): IngestQueue {
  const hash = new SeededHash();
  const accepted = new RecentHashes(ENTRIES);

  function offer(batch: ReceivedBatch): ReturnType<IngestQueue["offer"]> {
    const { batchId } = batch;
    if (batchId === undefined) return queue.offer(batch);
    const { tenant, service } = batch.parts[0].context;
    const { lo, hi } = hash.of(hash.ofPair(tenant, service).number, batchId);
    const key = { lo, hi };
    const swapped = { lo: hi, hi: lo };
    if (isKnown(accepted.addedAt(hi, swapped)) && isKnown(accepted.addedAt(lo, key)))
      return { type: "repeated" };
    const admission = queue.offer(batch);
    if (admission.type === "accepted") {
      const nowMs = clock.monotonic();
      accepted.add(lo, key, nowMs);
      accepted.add(hi, swapped, nowMs);
    }
    return admission;
  }

  function isKnown(acceptedAtMs: number | undefined): boolean {
    return acceptedAtMs !== undefined && clock.monotonic() - acceptedAtMs <= REMEMBERED_MS;
  }

  return { ...queue, offer };
}
