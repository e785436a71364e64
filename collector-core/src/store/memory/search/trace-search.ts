import type { TraceFilter } from "../../../api-schema/trace.js";
import type { Clock } from "../../../runtime/clock.js";
import type { MaybePromise } from "../../../runtime/maybe-promise.js";
import { createConcurrencyLimit } from "../../../runtime/concurrency-limit.js";
import { SearchedTexts } from "./searched-texts.js";
import type { SpanStore } from "../span-store.js";
import { TextSearch } from "./text-search.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import type { TraceBlock } from "../index/trace-block.js";
import { TraceValueFilter } from "./trace-filter.js";
import type { TraceIndex } from "../index/trace-index.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import type { TraceRegistry } from "../../traces/trace-registry.js";

/** Receives a matching trace with its block and slot in the index, where its facts are cached. @returns false to stop. */
export type TraceVisitor = (trace: TraceRecord, block: TraceBlock, slot: number) => boolean;

/**
 * Visits all traces that match a filter and are older than `sequence`, newest first, until `visit`
 * returns false. Works in slices, between which traces may be added and removed. Rejects with the signal's reason when aborted.
 */
export type TraceSearch = (
  filter: TraceFilter,
  sequence: number,
  visit: TraceVisitor,
  signal?: AbortSignal,
) => Promise<void>;

/** Options of {@link createTraceSearch}. */
export interface TraceSearchOptions {
  readonly traces: Pick<TraceRegistry, "ofEveryTenant">;
  readonly spans: SpanStore;
  readonly index: TraceIndex;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Traces visited between two checks of the clock. */
const TRACES_PER_CHECK = 32;
/** Concurrent text searches: each holds the results of the batches that it has searched. */
const MAX_TEXT_SEARCHES = 2;

export function createTraceSearch({ traces, spans, index, clock }: TraceSearchOptions): TraceSearch {
  const limited = createConcurrencyLimit(MAX_TEXT_SEARCHES);
  const searchedTexts = new SearchedTexts(index);

  const search: TraceSearch = async (filter, sequence, visit, signal) => {
    signal?.throwIfAborted();
    const timeSlice = new TimeSlice(clock, signal);
    const values = new TraceValueFilter(filter);
    const { q, root_name: rootName, trace_id: traceId } = filter;
    const text =
      q === undefined ? undefined : { search: new TextSearch(q, spans), bit: searchedTexts.bitOf(q) };
    let nowMs = clock.monotonic();

    /** Whether a trace matches; a promise if its text must be searched. */
    function isFound(trace: TraceRecord, block: TraceBlock, slot: number): MaybePromise<boolean> {
      index.ensure(block, slot, trace, nowMs);
      if (!values.matches(block, slot)) return false;
      if (rootName !== undefined && index.rootNameOf(block, slot, trace, nowMs) !== rootName) return false;
      if (text === undefined) return true;
      return block.hasText(slot, text.bit) ?? hasText(text, trace, block, slot);
    }

    async function hasText(
      { search, bit }: NonNullable<typeof text>,
      trace: TraceRecord,
      block: TraceBlock,
      slot: number,
    ): Promise<boolean> {
      const { changes } = trace;
      const matches = await search.matches(trace, timeSlice);
      if (trace.isRemoved) return false;
      if (trace.changes === changes) block.setText(slot, bit, matches);
      // Spans may have arrived during the search.
      index.ensure(block, slot, trace, nowMs);
      return matches;
    }

    if (traceId !== undefined) {
      for (const trace of traces.ofEveryTenant(traceId)) {
        const block = index.blockBefore(trace.sequence + 1);
        if (block === undefined || trace.sequence >= sequence) continue;
        const slot = block.slotOf(trace);
        if ((await isFound(trace, block, slot)) && !visit(trace, block, slot)) return;
      }
      return;
    }

    let visited = 0;
    let block = index.blockBefore(sequence);
    for (; block !== undefined; block = index.blockBefore(block.firstSequence)) {
      for (let slot = block.slotsBefore(sequence) - 1; slot >= 0; slot--) {
        const trace = block.trace(slot);
        if (trace === undefined) continue;
        const found = isFound(trace, block, slot);
        const isText = typeof found === "object";
        if ((isText ? await found : found) && !visit(trace, block, slot)) return;
        // Reading the clock costs more than visiting a trace, unless its text is searched.
        if ((isText || ++visited % TRACES_PER_CHECK === 0) && timeSlice.isOver()) {
          await timeSlice.next();
          nowMs = clock.monotonic();
        }
      }
    }
  };

  return (filter, sequence, visit, signal) => {
    const run = (): Promise<void> => search(filter, sequence, visit, signal);
    // A query without a text is short and does not wait for text searches.
    return filter.q === undefined ? run() : limited(run, signal);
  };
}
