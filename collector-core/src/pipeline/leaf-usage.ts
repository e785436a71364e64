import type { Span } from "@obspan/sdk/wire";
import type { Clock } from "../runtime/clock.js";
import { isUsableSpanId, type SpanFacts } from "../span/span-facts.js";
import { hashParent, hashTrace, type SpanHashes } from "../hashing/span-hashes.js";
import { RecentHashes } from "../hashing/recent-hashes.js";

/** How many parents of an inference are remembered at least, and for how long (contract 6). */
const REMEMBERED_PARENTS = 100_000;
const REMEMBERED_MS = 10 * 60_000;

/** Decides which span is the inference that counts (contract 6: tokens, cost and calls count once). */
export interface LeafUsage {
  /** Reads the parent links of spans that came together, before any of them is asked about: no order is relied on. */
  learn(spans: readonly Span[], tenant: string): void;
  /** False for a span of type `llm` inside which another one ran: a wrapper that repeats its usage. */
  countsUsage(span: SpanFacts, hashes: SpanHashes): boolean;
}

/** Remembers across batches which spans had an inference inside them. A clash of hashes costs a call its count, no more. */
export function createLeafUsage(clock: Pick<Clock, "monotonic">): LeafUsage {
  const parents = new RecentHashes(REMEMBERED_PARENTS);

  return {
    learn(spans, tenant) {
      const nowMs = clock.monotonic();
      let lastTraceId = "";
      let lastParent = "";
      for (const { span_type: type, trace_id: traceId, span_id: id, parent_span_id: parent } of spans) {
        if (type !== "llm" || !isUsableSpanId(parent) || parent === id) continue;
        // The calls of an agent follow each other.
        if (parent === lastParent && traceId === lastTraceId) continue;
        lastTraceId = traceId;
        lastParent = parent;
        const trace = hashTrace(tenant, traceId);
        parents.add(trace.lo, hashParent(trace, parent), nowMs);
      }
    },
    countsUsage({ spanType }, { trace, span }) {
      if (spanType !== "llm") return true;
      const learnedAtMs = parents.addedAt(trace.lo, span);
      return learnedAtMs === undefined || clock.monotonic() - learnedAtMs > REMEMBERED_MS;
    },
  };
}
