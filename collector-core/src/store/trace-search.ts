import type { TraceFilter } from "../contract/trace.js";
import type { Clock } from "../interfaces.js";
import type { SpanStore } from "./span-store.js";
import { TextSearch } from "./text-search.js";
import { TimeSlice } from "./time-slice.js";
import type { TraceRecord } from "./trace-record.js";
import type { TraceRegistry } from "./trace-registry.js";
import { ValueFilter } from "./trace-values.js";

/**
 * Visits the traces of the whole store that match a filter and came before `sequence`, newest first, until `visit`
 * answers false. Works in slices: between them traces may come and go.
 */
export type TraceSearch = (
  filter: TraceFilter,
  sequence: number,
  visit: (trace: TraceRecord) => boolean,
) => Promise<void>;

/** What a search goes through. */
export interface TraceSearchOptions {
  readonly traces: TraceRegistry;
  readonly spans: SpanStore;
  readonly clock: Pick<Clock, "monotonic">;
}

export function createTraceSearch({ traces, spans, clock }: TraceSearchOptions): TraceSearch {
  return async (filter, sequence, visit) => {
    const timeSlice = new TimeSlice(clock);
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
}
