import type { Span } from "@obspan/sdk/wire";
import type { SharedMarks, SpanMark } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { whenResolved, type MaybePromise } from "../runtime/maybe-promise.js";
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

/** The spans of a batch, as one tenant has sent them. */
export interface SpansOfTenant {
  readonly tenant: string;
  readonly spans: readonly Span[];
}

/** Knows across batches which spans have an `llm` child. */
export interface LeafUsage {
  /**
   * Records the parent links of batches, and decides for their spans: a child may follow its parent. Asked once a lease, because a
   * memory that other processes share takes a while.
   */
  ofBatches(batches: readonly SpansOfTenant[]): MaybePromise<CountsUsage>;
}

/** A {@link LeafUsage} that is told of parents. */
interface KnownParents extends LeafUsage {
  ofBatches(batches: readonly SpansOfTenant[]): CountsUsage;
  /** Records that a span has an `llm` child. */
  addParent(tenant: string, traceId: string, spanId: string): void;
}

/** Remembers parents in this process. A hash collision only leaves one call uncounted. */
export function createLeafUsage(clock: Pick<Clock, "monotonic">): KnownParents {
  const parents = new RecentHashes(REMEMBERED_PARENTS);

  function countsUsage({ spanType }: SpanFacts, { trace, span }: SpanHashes): boolean {
    if (spanType !== "llm") return true;
    const recordedAtMs = parents.addedAt(trace.lo, span);
    return recordedAtMs === undefined || clock.monotonic() - recordedAtMs > REMEMBERED_MS;
  }

  function addParent(tenant: string, traceId: string, spanId: string, nowMs = clock.monotonic()): void {
    const trace = hashTrace(tenant, traceId);
    parents.add(trace.lo, hashParent(trace, spanId), nowMs);
  }

  return {
    ofBatches(batches) {
      const nowMs = clock.monotonic();
      for (const batch of batches)
        forEachParent(batch, (traceId, parent) => addParent(batch.tenant, traceId, parent, nowMs));
      return countsUsage;
    },
    addParent: (tenant, traceId, spanId) => addParent(tenant, traceId, spanId),
  };
}

/** Calls `visit` with the parents of the calls of a batch. */
function forEachParent({ spans }: SpansOfTenant, visit: (traceId: string, parent: string) => void): void {
  let lastTraceId = "";
  let lastParent = "";
  for (const { span_type: type, trace_id: traceId, span_id: id, parent_span_id: parent } of spans) {
    if (type !== "llm" || !isUsableSpanId(parent) || parent === id) continue;
    // Consecutive calls of an agent share their parent.
    if (parent === lastParent && traceId === lastTraceId) continue;
    lastTraceId = traceId;
    lastParent = parent;
    visit(traceId, parent);
  }
}

/** Also knows the parents that other processes have recorded. */
export function createSharedLeafUsage(local: KnownParents, marks: SharedMarks): LeafUsage {
  return {
    ofBatches(batches) {
      const countsUsage = local.ofBatches(batches);
      const parents: SpanMark[] = [];
      const calls: SpanMark[] = [];
      for (const batch of batches) {
        const { tenant, spans } = batch;
        const markOf = (traceId: string, spanId: string): SpanMark => {
          return { kind: "parent of a call", tenant, traceId, spanId };
        };
        forEachParent(batch, (traceId, parent) => parents.push(markOf(traceId, parent)));
        for (const { span_type: type, trace_id: traceId, span_id: id } of spans)
          if (type === "llm" && isUsableSpanId(id)) calls.push(markOf(traceId, id));
      }
      if (parents.length === 0 && calls.length === 0) return countsUsage;
      return whenResolved(marks.exchange(parents, calls), (known) => {
        for (const { tenant, traceId, spanId } of known) local.addParent(tenant, traceId, spanId);
        return countsUsage;
      });
    },
  };
}
