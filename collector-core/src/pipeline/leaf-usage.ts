import type { Span } from "@obspan/sdk/wire";
import type { Clock } from "../runtime/clock.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import { isUsableSpanId, type SpanFacts } from "../span/span-facts.js";
import { hashParent, hashTrace, type SpanHashes } from "../hashing/span-hashes.js";
import { RecentHashes } from "../hashing/recent-hashes.js";

/** Minimum number of inference parents to remember, and for how long (contract 6). */
const REMEMBERED_PARENTS = 100_000;
const REMEMBERED_MS = 10 * 60_000;

/**
 * Decides which span counts as the inference (contract 6: tokens, cost and calls count once): false for an `llm` span with an
 * `llm` child, a wrapper that repeats the child's usage.
 */
export type CountsUsage = (span: SpanFacts, hashes: SpanHashes) => boolean;

/** Knows across batches which spans have an `llm` child. */
export interface LeafUsage {
  /**
   * Records the parent links of a batch, and decides for its spans: a child may follow its parent. Asked once a batch, because a
   * memory that other processes share takes a while.
   */
  ofBatch(spans: readonly Span[], tenant: string): MaybePromise<CountsUsage>;
}

/** Remembers parents in this process. A hash collision only leaves one call uncounted. */
export function createLeafUsage(clock: Pick<Clock, "monotonic">) {
  const parents = new RecentHashes(REMEMBERED_PARENTS);

  function countsUsage({ spanType }: SpanFacts, { trace, span }: SpanHashes): boolean {
    if (spanType !== "llm") return true;
    const recordedAtMs = parents.addedAt(trace.lo, span);
    return recordedAtMs === undefined || clock.monotonic() - recordedAtMs > REMEMBERED_MS;
  }

  return {
    ofBatch(spans: readonly Span[], tenant: string): CountsUsage {
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
      return countsUsage;
    },
  } satisfies LeafUsage;
}
