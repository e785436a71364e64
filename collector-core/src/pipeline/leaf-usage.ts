import type { Span } from "@obspan/sdk/wire";
import type { Clock } from "../runtime/clock.js";
import { isUsableSpanId, type SpanFacts } from "../span/span-facts.js";
import { hashParent, hashTrace, type SpanHashes } from "../hashing/span-hashes.js";
import { RecentHashes } from "../hashing/recent-hashes.js";

/** Minimum number of inference parents to remember, and for how long (contract 6). */
const REMEMBERED_PARENTS = 100_000;
const REMEMBERED_MS = 10 * 60_000;

/** Decides which span counts as the inference (contract 6: tokens, cost and calls count once). */
export interface LeafUsage {
  /**
   * Records the parent links of a batch. Call it before {@link countsUsage} of its spans: a child may follow its
   * parent.
   */
  recordParents(spans: readonly Span[], tenant: string): void;
  /** False for an `llm` span with an `llm` child: a wrapper that repeats the child's usage. */
  countsUsage(span: SpanFacts, hashes: SpanHashes): boolean;
}

/** Remembers across batches which spans have an `llm` child. A hash collision only leaves one call uncounted. */
export function createLeafUsage(clock: Pick<Clock, "monotonic">): LeafUsage {
  const parents = new RecentHashes(REMEMBERED_PARENTS);

  return {
    recordParents(spans, tenant) {
      const nowMs = clock.monotonic();
      let lastTraceId = "";
      let lastParent = "";
      for (const { span_type: type, trace_id: traceId, span_id: id, parent_span_id: parent } of spans) {
        if (type !== "llm" || !isUsableSpanId(parent) || parent === id) continue;
        // Consecutive calls of an agent share their parent.
        if (parent === lastParent && traceId === lastTraceId) continue;
        lastTraceId = traceId;
        lastParent = parent;
        const trace = hashTrace(tenant, traceId);
        parents.add(trace.lo, hashParent(trace, parent), nowMs);
      }
    },
    countsUsage({ spanType }, { trace, span }) {
      if (spanType !== "llm") return true;
      const recordedAtMs = parents.addedAt(trace.lo, span);
      return recordedAtMs === undefined || clock.monotonic() - recordedAtMs > REMEMBERED_MS;
    },
  };
}
