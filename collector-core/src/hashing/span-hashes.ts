import { SeededHash, type Hash64 } from "./seeded-hash.js";

/** The 64-bit hashes of a span, computed once for all users. The seed is random per process. */
export interface SpanHashes {
  /** Of tenant and trace id. */
  readonly trace: Hash64;
  /** Of the span id, within the trace. */
  readonly span: Hash64;
  /** Of the parent's id, within the trace. Equals `span` of the parent. */
  readonly parent: Hash64;
}

/** The ids of a span. */
interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
  /** `""` for a root span. */
  readonly parentSpanId: string;
}

const hash = new SeededHash();

// The last trace and parent, since consecutive spans usually share both. One entry each, like the hash state of the
// process: hashing is pure, so no caller can observe the cache.
let last = { tenant: "", traceId: "", trace: copyOf(hash.ofPair("", "")) };
let lastParent = { trace: last.trace, id: "", parent: hashSpan(last.trace, "") };

export function hashTrace(tenant: string, traceId: string): Hash64 {
  if (traceId !== last.traceId || tenant !== last.tenant) {
    last = { tenant, traceId, trace: copyOf(hash.ofPair(tenant, traceId)) };
  }
  return last.trace;
}

export function hashSpan(trace: Hash64, spanId: string): Hash64 {
  return copyOf(hash.within(trace, spanId));
}

export function hashParent(trace: Hash64, parentSpanId: string): Hash64 {
  if (parentSpanId !== lastParent.id || trace !== lastParent.trace) {
    lastParent = { trace, id: parentSpanId, parent: hashSpan(trace, parentSpanId) };
  }
  return lastParent.parent;
}

const NO_PARENT: Hash64 = { lo: 0, hi: 0 };

export function hashesOf(tenant: string, { traceId, spanId, parentSpanId }: SpanIds): SpanHashes {
  const trace = hashTrace(tenant, traceId);
  return {
    trace,
    span: hashSpan(trace, spanId),
    parent: parentSpanId === "" ? NO_PARENT : hashParent(trace, parentSpanId),
  };
}

function copyOf({ lo, hi }: Hash64): Hash64 {
  return { lo, hi };
}
