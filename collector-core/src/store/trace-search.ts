import type { TraceFilter } from "../contract/trace.js";
import type { Clock } from "../interfaces.js";
import { createTurns } from "../turns.js";
import { SearchedTexts } from "./searched-texts.js";
import type { SpanStore } from "./span-store.js";
import { TextSearch } from "./text-search.js";
import { TimeSlice } from "../time-slice.js";
import type { TraceFacts, TraceIndex } from "./trace-facts.js";
import { TraceValueFilter } from "./trace-filter.js";
import type { TraceRecord } from "./trace-record.js";
import type { TraceRegistry } from "./trace-registry.js";

/**
 * Visits the traces of the whole store that match a filter and came before `sequence`, newest first, until `visit`
 * answers false. Works in slices: between them traces may come and go. Rejects with the signal's reason when aborted.
 */
export type TraceSearch = (
  filter: TraceFilter,
  sequence: number,
  visit: (trace: TraceRecord, facts: TraceFacts) => boolean,
  signal?: AbortSignal,
) => Promise<void>;

/** What a search goes through. */
export interface TraceSearchOptions {
  readonly traces: TraceRegistry;
  readonly spans: SpanStore;
  readonly index: TraceIndex;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Traces that are looked at between two looks at the clock. */
const TRACES_PER_LOOK = 32;
/** Searches for text at work at once: each takes a slice of every turn of the event loop, and ingestion wants its share. */
const MAX_TEXT_SEARCHES = 2;

export function createTraceSearch({ traces, spans, index, clock }: TraceSearchOptions): TraceSearch {
  const inTurn = createTurns(MAX_TEXT_SEARCHES);
  const searchedTexts = new SearchedTexts(traces);

  const search: TraceSearch = async (filter, sequence, visit, signal) => {
    signal?.throwIfAborted();
    const timeSlice = new TimeSlice(clock, signal);
    const values = new TraceValueFilter(filter);
    const { q } = filter;
    const text =
      q === undefined ? undefined : { search: new TextSearch(q, spans), known: searchedTexts.of(q) };

    async function hasText(
      trace: TraceRecord,
      { search, known }: NonNullable<typeof text>,
    ): Promise<boolean> {
      const remembered = known.has(trace);
      if (remembered !== undefined) return remembered;
      const { changes } = trace;
      const isFound = await search.isIn(trace, timeSlice);
      known.remember(trace, isFound, changes);
      return isFound && !trace.isRemoved;
    }

    if (filter.trace_id !== undefined) {
      for (const trace of traces.ofEveryTenant(filter.trace_id)) {
        const nowMs = clock.monotonic();
        if (trace.sequence >= sequence || trace.isRemoved || !values.matches(trace, index, nowMs)) continue;
        if (text !== undefined && !(await hasText(trace, text))) continue;
        if (!visit(trace, index.of(trace, nowMs))) return;
      }
      return;
    }
    let nowMs = clock.monotonic();
    let looked = 0;
    for (let trace = traces.newestBefore(sequence); trace !== undefined;) {
      if (values.matches(trace, index, nowMs)) {
        const isFound = text === undefined || (await hasText(trace, text));
        if (isFound && !visit(trace, index.of(trace, nowMs))) return;
      }
      // Asking for the time costs more than looking at a trace, unless its text is read.
      looked++;
      if ((text !== undefined || looked % TRACES_PER_LOOK === 0) && timeSlice.isOver()) {
        await timeSlice.next();
        nowMs = clock.monotonic();
      }
      trace = trace.isRemoved ? traces.newestBefore(trace.sequence) : traces.before(trace);
    }
  };

  return (filter, ...rest) => {
    const run = (): Promise<void> => search(filter, ...rest);
    // What needs no text is done in a moment, and does not wait behind what does.
    return filter.q === undefined ? run() : inTurn(run);
  };
}
