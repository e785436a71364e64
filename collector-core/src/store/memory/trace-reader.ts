import type { TraceSummary } from "../../api-schema/trace.js";
import type { EvaluatedLabels, HeldSpan, SpanReference, StoredTrace, TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import type { StoredSpan } from "../../span/stored-span.js";
import { readOutputPreview } from "../../span/output-preview.js";
import { labelsOfSpan, labelsOfTrace } from "../traces/evaluated-labels.js";
import { NO_ROW } from "../traces/span-table.js";
import { remainsOf } from "../traces/restored-trace.js";
import { summarizeTrace } from "../traces/trace-summary.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { holdForReading } from "./bytes/segment-store.js";
import type { HeldTraces } from "./held-traces.js";
import { spanPages } from "./span-pages.js";

/** What the lists of an open trace take for each span. */
const LISTED_SPAN_BYTES = 300;
/** Lists of up to this size are not counted. */
const UNCOUNTED_BYTES = 64 * 1024;

/** Bounds the memory of the lists of open traces. */
export interface ListsInUse {
  /** @throws the error for a list that does not fit. */
  require(bytes: number): void;
  release(bytes: number): void;
}

/** Reads single traces and spans. */
export class TraceReader {
  readonly #held: HeldTraces;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #listsInUse: ListsInUse;

  constructor(held: HeldTraces, clock: Pick<Clock, "monotonic">, listsInUse: ListsInUse) {
    this.#held = held;
    this.#clock = clock;
    this.#listsInUse = listsInUse;
  }

  /**
   * A trace with all its spans, whose memory is held until `release`.
   *
   * @throws the error for lists that do not fit: a trace may have very many spans, and very many readers that stall.
   */
  get(key: TraceKey, signal: AbortSignal | undefined): StoredTrace | undefined {
    const { traces, spans } = this.#held;
    const trace = traces.get(key);
    if (trace === undefined) return undefined;
    const nowMs = this.#clock.monotonic();
    const rows = spans.rowsOf(trace);
    const bytes = rows.length * LISTED_SPAN_BYTES;
    let listBytes = bytes > UNCOUNTED_BYTES ? bytes : 0;
    if (listBytes > 0) this.#listsInUse.require(listBytes);
    const taken = rows.map((row) => ({ row, snapshot: spans.snapshot(row, trace.tenant, nowMs) }));
    const releaseSpans = holdForReading(taken.map(({ snapshot }) => snapshot.slice));
    const sorted = (compare: (a: number, b: number) => number): StoredSpan[] =>
      taken.toSorted((a, b) => compare(a.row, b.row)).map(({ snapshot }) => snapshot);
    const byStart = sorted((a, b) => spans.compareStart(a, b));
    const byArrival = sorted((a, b) => spans.compareArrival(a, b));
    return {
      summary: summarizeTrace(trace, spans, nowMs),
      spans: spanPages(byStart, signal),
      received: spanPages(byArrival, signal),
      remains: remainsOf(trace),
      release: () => {
        releaseSpans();
        if (listBytes > 0) this.#listsInUse.release(listBytes);
        listBytes = 0;
      },
    };
  }

  /** Summaries in the order of the keys, in time slices. */
  async summaries(
    keys: readonly TraceKey[],
    signal: AbortSignal | undefined,
  ): Promise<(TraceSummary | undefined)[]> {
    const { traces, spans } = this.#held;
    const timeSlice = new TimeSlice(this.#clock, signal);
    const summaries: (TraceSummary | undefined)[] = [];
    for (const key of keys) {
      if (summaries.length > 0 && timeSlice.isOver()) await timeSlice.next();
      const trace = traces.get(key);
      summaries.push(trace && summarizeTrace(trace, spans, this.#clock.monotonic()));
    }
    return summaries;
  }

  /** The tenants that have a trace of that id, newest trace first. */
  tenantsOf(traceId: string): readonly string[] {
    return this.#held.traces.ofEveryTenant(traceId).map(({ tenant }) => tenant);
  }

  /** Labels of spans and of traces, in time slices. */
  async labelsOf(
    references: readonly SpanReference[],
    signal: AbortSignal | undefined,
  ): Promise<(EvaluatedLabels | undefined)[]> {
    const timeSlice = new TimeSlice(this.#clock, signal);
    const labels: (EvaluatedLabels | undefined)[] = [];
    for (const reference of references) {
      if (labels.length > 0 && timeSlice.isOver()) await timeSlice.next();
      labels.push(this.#labelsOf(reference));
    }
    return labels;
  }

  #labelsOf({ spanId, ...key }: SpanReference): EvaluatedLabels | undefined {
    const { traces, spans } = this.#held;
    if (spanId === null) {
      const trace = traces.get(key);
      return trace && labelsOfTrace(summarizeTrace(trace, spans, this.#clock.monotonic()));
    }
    const { row } = this.#held.findSpan(key, spanId);
    return row === NO_ROW ? undefined : labelsOfSpan(spans.labels(row));
  }

  /** Beginnings of the outputs of spans, in time slices. */
  async outputPreviews(
    references: readonly SpanReference[],
    signal: AbortSignal | undefined,
  ): Promise<(string | null | undefined)[]> {
    const timeSlice = new TimeSlice(this.#clock, signal);
    const previews: (string | null | undefined)[] = [];
    for (const { spanId, ...key } of references) {
      if (timeSlice.isOver()) await timeSlice.next();
      const held = spanId === null ? undefined : this.span(key, spanId);
      try {
        previews.push(held && (await readOutputPreview(held, timeSlice)));
      } finally {
        held?.release();
      }
    }
    return previews;
  }

  /** One span, whose memory is held until `release`. */
  span(key: TraceKey, spanId: string): HeldSpan | undefined {
    const { trace, row } = this.#held.findSpan(key, spanId);
    if (trace === undefined || row === NO_ROW) return undefined;
    const snapshot = this.#held.spans.snapshot(row, trace.tenant, this.#clock.monotonic());
    return { ...snapshot, release: holdForReading([snapshot.slice]) };
  }
}
