import type { Clock } from "../runtime/clock.js";
import type { LinkKind, LinkMemory } from "../otlp/request-links.js";
import { RecentHashes } from "../hashing/recent-hashes.js";
import { SeededHash } from "../hashing/seeded-hash.js";

/** How many parents are remembered at least, and for how long (contract 6). */
const REMEMBERED_PARENTS = 100_000;
/** Each is kept twice: that there was something, and what. */
const ENTRIES = REMEMBERED_PARENTS * 2;
const REMEMBERED_MS = 10 * 60_000;

/**
 * Remembers across requests which spans had a call of a model, or a failed span, inside them: senders send a child when
 * it ends, which is before its parent does. A clash of hashes would cost one span its count, no more.
 */
export function createLinkMemories(clock: Pick<Clock, "monotonic">): (tenant: string) => LinkMemory {
  const parents = new RecentHashes(ENTRIES);
  const hash = new SeededHash();

  return (tenant) => {
    let lastTraceId = "";
    let lastTrace = hash.ofPair(tenant, lastTraceId).number;

    /** The spans of a trace follow each other: it is hashed once. */
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

/** Tells the kinds of one span apart. */
const KIND_SALT: Readonly<Record<LinkKind, number>> = {
  any: 0,
  llm: 1,
  embedding: 2,
  retrieval: 3,
  failed: 4,
  "llm below": 5,
};
