import type { Span } from "@obspan/sdk/wire";

interface NaiveTrace {
  readonly id: string;
  readonly isPartial: boolean;
  spans: Span[];
  lastSpanAtMs: number;
  droppedCount: number;
  droppedTokens: number;
}

/** What a trace store does, in the plainest way: arrays of objects. Against it the real one is checked. */
export class NaiveTraceStore {
  traces: NaiveTrace[] = [];
  readonly #maxTraces: number;
  readonly #maxSpansPerTrace: number;
  readonly #ttlMs: number;
  readonly #evictedIds = new Set<string>();

  constructor(maxTraces: number, maxSpansPerTrace: number, ttlMs: number) {
    this.#maxTraces = maxTraces;
    this.#maxSpansPerTrace = maxSpansPerTrace;
    this.#ttlMs = ttlMs;
  }

  append(span: Span, nowMs: number): void {
    this.expire(nowMs);
    let trace = this.traces.find(({ id }) => id === span.trace_id);
    if (trace === undefined) {
      if (this.traces.length === this.#maxTraces) this.#evict(this.traces[0]);
      trace = {
        id: span.trace_id,
        isPartial: this.#evictedIds.has(span.trace_id),
        spans: [],
        lastSpanAtMs: nowMs,
        droppedCount: 0,
        droppedTokens: 0,
      };
      this.traces.push(trace);
    }
    trace.lastSpanAtMs = nowMs;
    const index = trace.spans.findIndex(({ span_id }) => span_id === span.span_id);
    const known = trace.spans[index];
    if (known === undefined) trace.spans.push(span);
    else if (known.status === "RUNNING" || span.status !== "RUNNING") trace.spans[index] = span;
    while (trace.spans.length > this.#maxSpansPerTrace) {
      const dropped = trace.spans.shift();
      trace.droppedCount++;
      trace.droppedTokens += dropped === undefined ? 0 : tokensOf(dropped);
    }
  }

  expire(nowMs: number): void {
    for (const trace of [...this.traces]) {
      if (nowMs - trace.lastSpanAtMs >= this.#ttlMs) this.#evict(trace);
    }
  }

  remove(id: string): boolean {
    const before = this.traces.length;
    this.traces = this.traces.filter((trace) => trace.id !== id);
    return this.traces.length < before;
  }

  clear(): void {
    this.traces = [];
    this.#evictedIds.clear();
  }

  /** The traces as a list shows them, newest first. */
  summaries(): object[] {
    return this.traces.toReversed().map((trace) => ({
      trace_id: trace.id,
      span_count: trace.spans.length,
      dropped_spans: trace.droppedCount,
      tokens_input: trace.spans.reduce((sum, span) => sum + tokensOf(span), trace.droppedTokens),
      running: trace.spans.some(({ status }) => status === "RUNNING"),
      partial: trace.isPartial,
    }));
  }

  #evict(trace: NaiveTrace | undefined): void {
    if (trace === undefined) return;
    this.remove(trace.id);
    this.#evictedIds.add(trace.id);
  }
}

function tokensOf(span: Span): number {
  return span.status === "RUNNING" ? 0 : Number(span.attributes?.["tokens_input"] ?? 0);
}
