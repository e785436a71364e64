import type { TraceSummary } from "../../api-schema/trace.js";
import type { HeldSpan, StoredTrace, TraceKey } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import type { StoredSpan } from "../../span/stored-span.js";
import { NO_ROW } from "../traces/span-table.js";
import { remainsOf } from "../traces/restored-trace.js";
import { summarizeTrace } from "../traces/trace-summary.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { holdForReading } from "./bytes/segment-store.js";
import type { HeldTraces } from "./held-traces.js";
import { spanPages } from "./span-pages.js";

/** Reads single traces and spans. */
export class TraceReader {
  readonly #held: HeldTraces;
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(held: HeldTraces, clock: Pick<Clock, "monotonic">) {
    this.#held = held;
    this.#clock = clock;
  }

  /** A trace with all its spans, whose memory is held until `release`. */
  get(key: TraceKey, signal: AbortSignal | undefined): StoredTrace | undefined {
    const { traces, spans } = this.#held;
    const trace = traces.get(key);
    if (trace === undefined) return undefined;
    const nowMs = this.#clock.monotonic();
    const taken = spans
      .rowsOf(trace)
      .map((row) => ({ row, snapshot: spans.snapshot(row, trace.tenant, nowMs) }));
    const release = holdForReading(taken.map(({ snapshot }) => snapshot.slice));
    const sorted = (compare: (a: number, b: number) => number): StoredSpan[] =>
      taken.toSorted((a, b) => compare(a.row, b.row)).map(({ snapshot }) => snapshot);
    const byStart = sorted((a, b) => spans.compareStart(a, b));
    const byArrival = sorted((a, b) => spans.compareArrival(a, b));
    return {
      summary: summarizeTrace(trace, spans, nowMs),
      spans: spanPages(byStart, signal),
      received: spanPages(byArrival, signal),
      remains: remainsOf(trace),
      release,
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

  spanLabels(key: TraceKey, spanId: string): { model: string | null; agent: string | null } | undefined {
    const { row } = this.#held.findSpan(key, spanId);
    if (row === NO_ROW) return undefined;
    const { model, agent } = this.#held.spans.labels(row);
    return { model: model || null, agent: agent || null };
  }

  /** One span, whose memory is held until `release`. */
  span(key: TraceKey, spanId: string): HeldSpan | undefined {
    const { trace, row } = this.#held.findSpan(key, spanId);
    if (trace === undefined || row === NO_ROW) return undefined;
    const snapshot = this.#held.spans.snapshot(row, trace.tenant, this.#clock.monotonic());
    return { ...snapshot, release: holdForReading([snapshot.slice]) };
  }
}
