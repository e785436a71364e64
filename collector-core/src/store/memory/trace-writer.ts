import type { Hash64 } from "../../hashing/seeded-hash.js";
import type { AppendOptions, TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { originOf, type PipelineSpan } from "../../span/pipeline-span.js";
import type { SpanFacts } from "../../span/span-facts.js";
import type { TraceRemains } from "../../span/trace-remains.js";
import { DroppedSpans } from "../traces/dropped-spans.js";
import { restoreTrace } from "../traces/restored-trace.js";
import { FLAG, NO_ROW } from "../traces/span-table.js";
import type { TraceRecord } from "../traces/trace-record.js";
import type { SpanCaps } from "./span-caps.js";
import type { SpanStore } from "./span-store.js";

/** The traces that spans are added to. */
export interface WritableTraces {
  /** The trace of a key, by the hash of the key. A store may load it here, except while a batch is stored whole. */
  find(key: TraceKey, hash: Hash64): TraceRecord | undefined;
  /** True if the trace was evicted: it is partial if it comes again. */
  wasEvicted(hash: Hash64): boolean;
  /** Creates a trace. It is part of the store from {@link added} on. */
  create(key: TraceKey, hash: Hash64, isPartial: boolean, nowMs: number): TraceRecord;
  /** Adds a trace after its first span was stored. */
  added(trace: TraceRecord): void;
  /** Called when a span named the session of a trace that was added before. */
  namedSession(trace: TraceRecord): void;
  /** Adds to the memory that the traces are charged with. */
  charge(bytes: number): void;
  /** Called before a span of a known trace is written. */
  changed(trace: TraceRecord, nowMs: number): void;
}

/** Makes room for spans. */
export interface WriteRoom {
  /** Called before a trace is created. */
  makeRoomForTrace(): void;
  /** Called after each batch. */
  makeRoomForBytes(): void;
}

/** Options of {@link TraceWriter}. */
export interface TraceWriterOptions {
  readonly spans: SpanStore;
  readonly traces: WritableTraces;
  readonly room: WriteRoom;
  readonly caps: Pick<SpanCaps, "capSpans" | "capEvaluations">;
  readonly clock: Pick<Clock, "monotonic">;
  /**
   * Called before the spans from `from` up to but excluding `to`, which may be stored as one batch. No other row may be added
   * while they are: a store that keeps traces elsewhere loads those of these spans here.
   */
  readonly beforeBatch?: (spans: readonly PipelineSpan[], from: number, to: number) => void;
  /**
   * Called when a span was written to its row, new or replaced, before the caps apply. Not called for a span that is left out.
   *
   * @param index - of the span in the call of {@link TraceWriter.write}.
   */
  readonly onWritten?: (trace: TraceRecord, row: number, index: number) => void;
}

/** Adds spans to their traces. */
export class TraceWriter {
  readonly #spans: SpanStore;
  readonly #traces: WritableTraces;
  readonly #room: WriteRoom;
  readonly #caps: TraceWriterOptions["caps"];
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #beforeBatch: TraceWriterOptions["beforeBatch"];
  readonly #onWritten: TraceWriterOptions["onWritten"];
  #lateEvaluations = 0;

  constructor({ spans, traces, room, caps, clock, beforeBatch, onWritten }: TraceWriterOptions) {
    this.#spans = spans;
    this.#traces = traces;
    this.#room = room;
    this.#caps = caps;
    this.#clock = clock;
    this.#beforeBatch = beforeBatch;
    this.#onWritten = onWritten;
  }

  /** Evaluations discarded because their trace was evicted. */
  get lateEvaluations(): number {
    return this.#lateEvaluations;
  }

  /** Adds spans, batch by batch. Makes room to stay within the bounds. */
  write(spans: readonly PipelineSpan[], options: AppendOptions): void {
    const store = this.#spans;
    const nowMs = this.#clock.monotonic();
    for (let from = 0; from < spans.length;) {
      this.#beforeBatch?.(spans, from, endOfBatch(spans, from));
      const to = store.beginBatch(spans, from) ?? from + 1;
      try {
        for (let at = from; at < to; at++) {
          const span = spans[at];
          if (span !== undefined) this.#writeSpan(span, at, nowMs, options);
        }
      } finally {
        store.endBatch();
      }
      this.#room.makeRoomForBytes();
      from = to;
    }
  }

  #writeSpan(
    span: PipelineSpan,
    index: number,
    nowMs: number,
    { isImport = false, restored }: AppendOptions,
  ): void {
    const { facts } = span;
    const { hashes } = originOf(span);
    const traces = this.#traces;
    const key = { tenant: span.context.tenant, traceId: facts.traceId };
    const isEvaluation = facts.spanType === "evaluation";
    const known = traces.find(key, hashes.trace);
    if (known !== undefined) {
      traces.changed(known, nowMs);
      if (!this.#replace(known, span, index, nowMs)) this.#addSpan(known, span, index, nowMs, isEvaluation);
      return;
    }

    const isLate = !isImport && traces.wasEvicted(hashes.trace);
    if (isLate && isEvaluation) {
      this.#lateEvaluations++;
      return;
    }
    this.#room.makeRoomForTrace();
    const remains = restored && remainsIn(restored, key);
    const trace = traces.create(key, hashes.trace, isLate || remains?.partial === true, nowMs);
    this.#addSpan(trace, span, index, nowMs, isEvaluation, remains);
  }

  /** Replaces the span with the same id. @returns false if there is none. */
  #replace(trace: TraceRecord, span: PipelineSpan, index: number, nowMs: number): boolean {
    const spans = this.#spans;
    const row = spans.find(trace, originOf(span).hashes.span);
    if (row === NO_ROW) return false;
    const hasEnded = (spans.flags(row) & FLAG.running) === 0;
    if (!(hasEnded && span.facts.isRunning)) {
      spans.replace(trace, row, span, nowMs);
      this.#onWritten?.(trace, row, index);
      this.#setOwner(trace, span.facts);
    }
    return true;
  }

  /** Most spans name neither, or repeat what the first span of the trace named. */
  #setOwner(trace: TraceRecord, facts: SpanFacts): void {
    const isNew =
      (facts.sessionId !== "" && trace.sessionId === "") || (facts.userId !== "" && trace.userId === "");
    if (!isNew || facts.spanType === "evaluation") return;
    const hadSession = trace.sessionId !== "";
    this.#traces.charge(trace.setOwner(facts));
    if (!hadSession && trace.sessionId !== "") this.#traces.namedSession(trace);
  }

  #addSpan(
    trace: TraceRecord,
    span: PipelineSpan,
    index: number,
    nowMs: number,
    isEvaluation: boolean,
    remains?: TraceRemains,
  ): void {
    const spans = this.#spans;
    const row = spans.add(trace, span, nowMs);
    if (trace.arrivals++ === 0) {
      if (remains !== undefined) {
        restoreTrace(trace, remains, nowMs);
        if (trace.dropped !== undefined) this.#traces.charge(DroppedSpans.BYTES);
      }
      this.#traces.added(trace);
    }
    this.#onWritten?.(trace, row, index);
    spans.link(trace, row, isEvaluation);
    if (isEvaluation) this.#caps.capEvaluations(trace);
    else {
      this.#setOwner(trace, span.facts);
      trace.dropped?.reviveRoot(spans, row);
      this.#caps.capSpans(trace);
    }
  }
}

/** Where the batch of the span at `from` ends at the latest. */
function endOfBatch(spans: readonly PipelineSpan[], from: number): number {
  const first = spans[from];
  const count = (first && originOf(first).batch?.spanCount) ?? 1;
  return Math.min(spans.length, from + count);
}

function remainsIn(
  restored: NonNullable<AppendOptions["restored"]>,
  key: TraceKey,
): TraceRemains | undefined {
  return restored.find(({ tenant, traceId }) => traceId === key.traceId && tenant === key.tenant)?.remains;
}
