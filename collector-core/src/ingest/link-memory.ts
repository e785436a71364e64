import type { SharedMarks, SpanMark } from "../interfaces.js";
import { isOwnSpan } from "../otlp/own-span-from-otlp.js";
import type { OtlpTraceRequest } from "../otlp/received-spans.js";
import type { LinkKind, LinkMemory } from "../otlp/request-links.js";
import type { Clock } from "../runtime/clock.js";
import { waitFor, type WaitingSteps } from "../runtime/steps.js";
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

/** Returns what is known of the spans of a request of a tenant. */
export type LinksOf = (tenant: string, request: OtlpTraceRequest) => WaitingSteps<LinkMemory>;

/** The kinds that are looked up where there is a link of any kind. */
const KINDS: readonly Exclude<LinkKind, "any">[] = ["llm", "embedding", "retrieval", "failed", "llm below"];
/** Spans that are looked up in one step: a millisecond. */
const SPANS_PER_STEP = 500;

/**
 * Also remembers what other processes have recorded. They are asked before a request is read, for all its spans, and told
 * afterwards.
 *
 * @param shared - undefined if this process shares nothing.
 */
export function createLinksOf(local: (tenant: string) => LinkMemory, shared?: SharedMarks): LinksOf {
  return function* linksOf(tenant, request) {
    const memory = local(tenant);
    if (shared === undefined) return memory;
    for (const some of inParts(anyMarks(tenant, request))) {
      const linked = yield* waitFor(shared.exchange([], some));
      if (linked.length === 0) continue;
      const kinds = linked.flatMap((mark) => KINDS.map((kind): SpanMark => ({ ...mark, kind })));
      const known = yield* waitFor(shared.exchange([], kinds));
      for (const each of [linked, known].flat())
        memory.remember(each.kind as LinkKind, each.traceId, each.spanId);
    }
    return telling(memory, tenant, shared);
  };
}

/** The spans of a request that other exporters than Obspan's have sent. */
function* anyMarks(tenant: string, request: OtlpTraceRequest): Generator<SpanMark> {
  for (const { scopes } of request)
    for (const { spans } of scopes)
      for (const span of spans)
        if (!isOwnSpan(span)) yield { kind: "any", tenant, traceId: span.traceId, spanId: span.spanId };
}

function* inParts(marks: Iterable<SpanMark>): Generator<SpanMark[]> {
  let part: SpanMark[] = [];
  for (const mark of marks) {
    part.push(mark);
    if (part.length < SPANS_PER_STEP) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Tells others what is remembered, once a turn. */
function telling(memory: LinkMemory, tenant: string, shared: SharedMarks): LinkMemory {
  const told = new Set<string>();
  let untold: SpanMark[] = [];
  function tell(): void {
    void shared.exchange(untold, []);
    untold = [];
  }
  return {
    has: (kind, traceId, spanId) => memory.has(kind, traceId, spanId),
    remember(kind, traceId, spanId) {
      memory.remember(kind, traceId, spanId);
      const name = `${kind} ${traceId} ${spanId}`;
      if (told.has(name)) return;
      told.add(name);
      if (untold.length === 0) process.nextTick(tell);
      untold.push({ kind, tenant, traceId, spanId });
    },
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
