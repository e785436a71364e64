import type { Clock } from "../../runtime/clock.js";
import { originOf, type PipelineSpan } from "../../span/pipeline-span.js";
import { FLAG, NO_ROW } from "../traces/span-table.js";
import type { TraceRecord } from "../traces/trace-record.js";
import type { HeldTraces } from "./held-traces.js";
import type { TraceEviction } from "./trace-eviction.js";

/** Adds spans to their traces. */
export class TraceWriter {
  readonly #held: HeldTraces;
  readonly #eviction: TraceEviction;
  readonly #clock: Pick<Clock, "monotonic">;
  #lateEvaluations = 0;

  constructor(held: HeldTraces, eviction: TraceEviction, clock: Pick<Clock, "monotonic">) {
    this.#held = held;
    this.#eviction = eviction;
    this.#clock = clock;
  }

  /** Evaluations discarded because their trace was evicted. */
  get lateEvaluations(): number {
    return this.#lateEvaluations;
  }

  /** Adds spans, batch by batch. Evicts traces to stay within the bounds. */
  write(spans: readonly PipelineSpan[], isImport: boolean): void {
    const store = this.#held.spans;
    const nowMs = this.#clock.monotonic();
    for (let from = 0; from < spans.length;) {
      const to = store.beginBatch(spans, from) ?? from + 1;
      try {
        for (let at = from; at < to; at++) {
          const span = spans[at];
          if (span !== undefined) this.#writeSpan(span, nowMs, isImport);
        }
      } finally {
        store.endBatch();
      }
      this.#eviction.evictForBytes();
      from = to;
    }
  }

  #writeSpan(span: PipelineSpan, nowMs: number, isImport: boolean): void {
    const { facts } = span;
    const { hashes } = originOf(span);
    const { traces, index } = this.#held;
    const key = { tenant: span.context.tenant, traceId: facts.traceId };
    const isEvaluation = facts.spanType === "evaluation";
    const known = traces.get(key, hashes.trace);
    if (known !== undefined) {
      traces.touch(known, nowMs);
      index.invalidate(known);
      if (!this.#replace(known, span, nowMs)) this.#addSpan(known, span, nowMs, isEvaluation);
      return;
    }

    const isLate = !isImport && this.#held.evicted.has(hashes.trace);
    if (isLate && isEvaluation) {
      this.#lateEvaluations++;
      return;
    }
    this.#eviction.evictForTrace();
    const trace = traces.create(key, hashes.trace, isLate, nowMs);
    this.#addSpan(trace, span, nowMs, isEvaluation);
  }

  /** Replaces the span with the same id. @returns false if there is none. */
  #replace(trace: TraceRecord, span: PipelineSpan, nowMs: number): boolean {
    const { spans } = this.#held;
    const row = spans.find(trace, originOf(span).hashes.span);
    if (row === NO_ROW) return false;
    const hasEnded = (spans.flags(row) & FLAG.running) === 0;
    if (!(hasEnded && span.facts.isRunning)) spans.replace(trace, row, span, nowMs);
    return true;
  }

  #addSpan(trace: TraceRecord, span: PipelineSpan, nowMs: number, isEvaluation: boolean): void {
    const { traces, spans, index } = this.#held;
    const row = spans.add(trace, span, nowMs);
    if (trace.arrivals++ === 0) {
      traces.add(trace);
      index.add(trace);
    }
    if (isEvaluation) {
      if (trace.firstEvaluation === NO_ROW) trace.firstEvaluation = row;
      else spans.setNext(trace.lastEvaluation, row);
      trace.lastEvaluation = row;
      trace.evaluationCount++;
      this.#eviction.capEvaluations(trace);
    } else {
      if (trace.firstSpan === NO_ROW) trace.firstSpan = row;
      else spans.setNext(trace.lastSpan, row);
      trace.lastSpan = row;
      trace.spanCount++;
      trace.dropped?.reviveRoot(spans, row);
      this.#eviction.capSpans(trace);
    }
  }
}
