import type { Clock } from "../runtime/clock.js";
import type { LinkKind, LinkMemory } from "../otlp/request-links.js";
import { RecentHashes } from "../hashing/recent-hashes.js";
import { SeededHash } from "../hashing/seeded-hash.js";

/** Minimum number of parents that are remembered, each for 10 minutes (contract 6). */
const REMEMBERED_PARENTS = 100_000;
/** A parent takes two entries: one for any link and one for its kind. */
const ENTRIES = REMEMBERED_PARENTS * 2;
const REMEMBERED_MS = 10 * 60_000;

/**
 * Remembers across requests which spans contain a model call or a failed span. Senders send a child when it ends, which
 * is before its parent ends. A hash collision affects the count of one span.
 */
export function createLinkMemories(clock: Pick<Clock, "monotonic">): (tenant: string) => LinkMemory {
  const parents = new RecentHashes(ENTRIES);
  const hash = new SeededHash();

  return (tenant) => {
    let lastTraceId = "";
    let lastTrace = hash.ofPair(tenant, lastTraceId).number;

    /** Spans of a trace are usually consecutive, so that the trace id is hashed once. */
    function hashOf(kind: LinkKind, traceId: string, spanId: string): SeededHash {
      if (traceId !== lastTraceId) {
        lastTrace = hash.ofPair(tenant, traceId).number;
        lastTraceId = traceId;
      }
      return hash.of(lastTrace + KIND_SALT[kind], spanId);
    }

    return {
      remember(kind, traceId, spanId) {
        const spanHash = hashOf(kind, traceId, spanId);
        parents.add(lastTrace | 0, spanHash, clock.monotonic());
      },
      has(kind, traceId, spanId) {
        const spanHash = hashOf(kind, traceId, spanId);
        const rememberedAtMs = parents.addedAt(lastTrace | 0, spanHash);
        return rememberedAtMs !== undefined && clock.monotonic() - rememberedAtMs <= REMEMBERED_MS;
      },
    };
  };
}

/** Added to the hash of a trace, so that each kind has its own entry. */
const KIND_SALT: Readonly<Record<LinkKind, number>> = {
  any: 0,
  llm: 1,
  embedding: 2,
  retrieval: 3,
  failed: 4,
  "llm below": 5,
};
