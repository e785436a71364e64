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

/** A trace that matches, with its place in the index, where what is known of it stands. */
export type TraceVisitor = (trace: TraceRecord, block: TraceBlock, slot: number) => boolean;

/**
 * Visits the traces of the whole store that match a filter and came before `sequence`, newest first, until `visit`
 * answers false. Works in slices: between them traces may come and go. Rejects with the signal's reason when aborted.
 */
export type TraceSearch = (
  filter: TraceFilter,
  sequence: number,
  visit: TraceVisitor,
  signal?: AbortSignal,
) => Promise<void>;

/** What a search goes through. */
export interface TraceSearchOptions {
  readonly traces: Pick<TraceRegistry, "ofEveryTenant">;
  readonly spans: SpanStore;
  readonly index: TraceIndex;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Traces that are looked at between two looks at the clock. */
const TRACES_PER_LOOK = 32;
/** Searches for text at work at once: what each has looked through so far is held. */
const MAX_TEXT_SEARCHES = 2;

export function createTraceSearch({ traces, spans, index, clock }: TraceSearchOptions): TraceSearch {
  const inTurn = createConcurrencyLimit(MAX_TEXT_SEARCHES);
  const searchedTexts = new SearchedTexts(index);

  const search: TraceSearch = async (filter, sequence, visit, signal) => {
    signal?.throwIfAborted();
    const timeSlice = new TimeSlice(clock, signal);
    const values = new TraceValueFilter(filter);
    const { q, root_name: rootName, trace_id: traceId } = filter;
    const text =
      q === undefined ? undefined : { search: new TextSearch(q, spans), bit: searchedTexts.bitOf(q) };
    let nowMs = clock.monotonic();

    /** Whether a trace matches: a promise where its text has to be read. */
    function isFound(trace: TraceRecord, block: TraceBlock, slot: number): MaybePromise<boolean> {
      index.require(block, slot, trace, nowMs);
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
      const isThere = await search.isIn(trace, timeSlice);
      if (trace.isRemoved) return false;
      if (trace.changes === changes) block.rememberText(slot, bit, isThere);
      // While it was read spans may have come.
      index.require(block, slot, trace, nowMs);
      return isThere;
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

    let looked = 0;
    let block = index.blockBefore(sequence);
    for (; block !== undefined; block = index.blockBefore(block.firstSequence)) {
      for (let slot = block.slotsBefore(sequence) - 1; slot >= 0; slot--) {
        const trace = block.trace(slot);
        if (trace === undefined) continue;
        const found = isFound(trace, block, slot);
        const isText = typeof found === "object";
        if ((isText ? await found : found) && !visit(trace, block, slot)) return;
        // Asking for the time costs more than looking at a trace, unless its text is read.
        if ((isText || ++looked % TRACES_PER_LOOK === 0) && timeSlice.isOver()) {
          await timeSlice.next();
          nowMs = clock.monotonic();
        }
      }
    }
  };

  return (filter, sequence, visit, signal) => {
    const run = (): Promise<void> => search(filter, sequence, visit, signal);
    // What needs no text is done in a moment, and does not wait behind what does.
    return filter.q === undefined ? run() : inTurn(run, signal);
  };
}
