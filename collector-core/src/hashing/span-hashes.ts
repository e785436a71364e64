import { SeededHash, type Hash64 } from "./seeded-hash.js";

/** The 64-bit hashes of a span, computed once for all users. */
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

const NO_PARENT: Hash64 = { lo: 0, hi: 0 };

/** Hashes the ids of spans. Caches the last trace and parent, since consecutive spans usually share both. */
export class SpanHasher {
  readonly #hash: SeededHash;
  #last: { readonly tenant: string; readonly traceId: string; readonly trace: Hash64 };
  #lastParent: { readonly trace: Hash64; readonly id: string; readonly parent: Hash64 };

  /** @param seed - default: random. Equal seeds give equal hashes, also in another process. */
  constructor(seed?: Int32Array) {
    this.#hash = new SeededHash(seed);
    const trace = copyOf(this.#hash.ofPair("", ""));
    this.#last = { tenant: "", traceId: "", trace };
    this.#lastParent = { trace, id: "", parent: this.span(trace, "") };
  }

  trace(tenant: string, traceId: string): Hash64 {
    if (traceId !== this.#last.traceId || tenant !== this.#last.tenant)
      this.#last = { tenant, traceId, trace: copyOf(this.#hash.ofPair(tenant, traceId)) };
    return this.#last.trace;
  }

  span(trace: Hash64, spanId: string): Hash64 {
    return copyOf(this.#hash.within(trace, spanId));
  }

  parent(trace: Hash64, parentSpanId: string): Hash64 {
    if (parentSpanId !== this.#lastParent.id || trace !== this.#lastParent.trace)
      this.#lastParent = { trace, id: parentSpanId, parent: this.span(trace, parentSpanId) };
    return this.#lastParent.parent;
  }

  all(tenant: string, { traceId, spanId, parentSpanId }: SpanIds): SpanHashes {
    const trace = this.trace(tenant, traceId);
    return {
      trace,
      span: this.span(trace, spanId),
      parent: parentSpanId === "" ? NO_PARENT : this.parent(trace, parentSpanId),
    };
  }
}

/** The hasher of the process, with a random seed. Hashing is pure, so no caller can observe its cache. */
const hasher = new SpanHasher();

export function hashTrace(tenant: string, traceId: string): Hash64 {
  return hasher.trace(tenant, traceId);
}

export function hashSpan(trace: Hash64, spanId: string): Hash64 {
  return hasher.span(trace, spanId);
}

export function hashParent(trace: Hash64, parentSpanId: string): Hash64 {
  return hasher.parent(trace, parentSpanId);
}

export function hashesOf(tenant: string, ids: SpanIds): SpanHashes {
  return hasher.all(tenant, ids);
}

function copyOf({ lo, hi }: Hash64): Hash64 {
  return { lo, hi };
}
