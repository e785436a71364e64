import type { Span } from "@obspan/sdk/wire";

interface NaiveTrace {
  readonly id: string;
  readonly isPartial: boolean;
  spans: Span[];
  lastSpanAtMs: number;
  droppedCount: number;
  droppedTokens: number;
  /** The latest end of a dropped span, after the start that all spans have. */
  droppedEndMs: number;
  /** The first session that a span named. */
  sessionId: string;
}

/** The traces of a session, in order of arrival. */
interface NaiveSession {
  readonly id: string;
  readonly traces: readonly NaiveTrace[];
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
        droppedEndMs: 0,
        sessionId: "",
      };
      this.traces.push(trace);
    }
    trace.lastSpanAtMs = nowMs;
    const index = trace.spans.findIndex(({ span_id }) => span_id === span.span_id);
    const known = trace.spans[index];
    const isLeftOut = known !== undefined && known.status !== "RUNNING" && span.status === "RUNNING";
    if (known === undefined) trace.spans.push(span);
    else if (!isLeftOut) trace.spans[index] = span;
    if (trace.sessionId === "" && !isLeftOut) trace.sessionId = sessionOf(span);
    while (trace.spans.length > this.#maxSpansPerTrace) {
      const dropped = trace.spans.shift();
      trace.droppedCount++;
      trace.droppedTokens += dropped === undefined ? 0 : tokensOf(dropped);
      trace.droppedEndMs = Math.max(trace.droppedEndMs, dropped === undefined ? 0 : durationOf(dropped));
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
      tokens_input: tokensIn(trace),
      running: isRunning(trace),
      partial: trace.isPartial,
    }));
  }

  /** The sessions as a list shows them, in an order. All traces start at the same time: the order of start is that of arrival. */
  sessions(order: "newest" | "slowest"): object[] {
    const ids = new Set(this.traces.map(({ sessionId }) => sessionId).filter((id) => id !== ""));
    const sessions = Array.from(ids, (id): NaiveSession => {
      return { id, traces: this.traces.filter(({ sessionId }) => sessionId === id) };
    });
    const ranked = sessions.map((session) => ({ session, rank: this.#rankOf(session, order) }));
    ranked.sort((a, b) => b.rank.value - a.rank.value || b.rank.position - a.rank.position);
    return ranked.map(({ session: { id, traces } }) => ({
      session_id: id,
      traces: traces.length,
      active_ms: traces.reduce((sum, trace) => sum + endOf(trace), 0),
      tokens_input: traces.reduce((sum, trace) => sum + tokensIn(trace), 0),
      running: traces.some(isRunning),
      turns: traces.slice(-10).map((trace) => ({ trace_id: trace.id, duration_ms: endOf(trace) })),
    }));
  }

  /** By the latest end, then by the arrival of that trace; or by the sum of the durations, then by the newest trace. */
  #rankOf({ traces }: NaiveSession, order: "newest" | "slowest"): { value: number; position: number } {
    const ends = traces.map(endOf);
    const value = order === "newest" ? Math.max(...ends) : ends.reduce((sum, end) => sum + end, 0);
    const last = order === "newest" ? traces.findLast((trace) => endOf(trace) === value) : traces.at(-1);
    return { value, position: last === undefined ? -1 : this.traces.indexOf(last) };
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

function tokensIn({ spans, droppedTokens }: NaiveTrace): number {
  return spans.reduce((sum, span) => sum + tokensOf(span), droppedTokens);
}

function isRunning({ spans }: NaiveTrace): boolean {
  return spans.some(({ status }) => status === "RUNNING");
}

function endOf({ spans, droppedEndMs }: NaiveTrace): number {
  return Math.max(droppedEndMs, ...spans.map(durationOf));
}

function durationOf({ status, duration_ms: durationMs = 0 }: Span): number {
  return status === "RUNNING" ? 0 : durationMs;
}

function sessionOf(span: Span): string {
  const id = span.attributes?.["session_id"];
  return typeof id === "string" ? id : "";
}
