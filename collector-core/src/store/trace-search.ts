import type { TraceFilter } from "../contract/trace.js";
import type { Clock } from "../interfaces.js";
import type { SpanStore } from "./span-store.js";
import { TextSearch } from "./text-search.js";
import { createTurns } from "../turns.js";
import { TimeSlice } from "./time-slice.js";
import type { TraceRecord } from "./trace-record.js";
import type { TraceRegistry } from "./trace-registry.js";
import { ValueFilter } from "./trace-values.js";

/**
 * Visits the traces of the whole store that match a filter and came before `sequence`, newest first, until `visit`
 * answers false. Works in slices: between them traces may come and go. Rejects with the signal's reason when aborted.
 */
export type TraceSearch = (
  filter: TraceFilter,
  sequence: number,
  visit: (trace: TraceRecord) => boolean,
  signal?: AbortSignal,
) => Promise<void>;

/** What a search goes through. */
export interface TraceSearchOptions {
  readonly traces: TraceRegistry;
  readonly spans: SpanStore;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Searches at work at once: each takes a slice of every turn of the event loop, and ingestion wants its share. */
const MAX_SEARCHES = 2;

export function createTraceSearch({ traces, spans, clock }: TraceSearchOptions): TraceSearch {
  const inTurn = createTurns(MAX_SEARCHES);

  const search: TraceSearch = async (filter, sequence, visit, signal) => {
    signal?.throwIfAborted();
    const timeSlice = new TimeSlice(clock, signal);
    const values = new ValueFilter(filter);
    const text = filter.q === undefined || filter.q === "" ? undefined : new TextSearch(filter.q);

    /** @returns whether to go on. */
    const consider = async (trace: TraceRecord): Promise<boolean> => {
      if (!values.matches(trace, spans, clock.monotonic())) return true;
      if (text !== undefined) {
        const slices = spans.rowsOf(trace).map((row) => spans.slice(row));
        if (!(await text.isInAny(slices, timeSlice)) || trace.isRemoved) return true;
      }
      return visit(trace);
    };

    if (filter.trace_id !== undefined) {
      for (const trace of traces.ofEveryTenant(filter.trace_id)) {
        if (trace.sequence < sequence && !trace.isRemoved && !(await consider(trace))) return;
      }
      return;
    }
    for (let trace = traces.newestBefore(sequence); trace !== undefined;) {
      if (!(await consider(trace))) return;
      if (timeSlice.isOver()) await timeSlice.next();
      trace = trace.isRemoved ? traces.newestBefore(trace.sequence) : trace.older;
    }
  };

  return (...what) => inTurn(() => search(...what));
}
