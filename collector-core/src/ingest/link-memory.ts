import type { Clock } from "../interfaces.js";
import type { LinkKind, LinkMemory } from "../otlp/request-links.js";
import { RecentHashes } from "../recent-hashes.js";
import { SeededHash } from "../seeded-hash.js";

/** How many parents are remembered at least, and for how long (contract 6). */
const REMEMBERED_PARENTS = 100_000;
const REMEMBERED_MS = 10 * 60_000;

/**
 * Remembers across requests which spans had a call of a model, or a failed span, inside them: senders send a child when
 * it ends, which is before its parent does. A clash of hashes would cost one span its count, no more.
 */
export function createLinkMemories(clock: Pick<Clock, "monotonic">): (tenant: string) => LinkMemory {
  const parents = new RecentHashes(REMEMBERED_PARENTS);
  const hash = new SeededHash();

  return (tenant) => {
    const hashOf = (kind: LinkKind, traceId: string, spanId: string): SeededHash =>
      hash.of(hash.ofPair(tenant, traceId).number, `${kind} ${spanId}`);
    return {
      remember(kind, traceId, spanId) {
        const { lo, hi } = hashOf(kind, traceId, spanId);
        parents.add(lo, hi, clock.monotonic());
      },
      has(kind, traceId, spanId) {
        const { lo, hi } = hashOf(kind, traceId, spanId);
        const rememberedAtMs = parents.addedAt(lo, hi);
        return rememberedAtMs !== undefined && clock.monotonic() - rememberedAtMs <= REMEMBERED_MS;
      },
    };
  };
}
