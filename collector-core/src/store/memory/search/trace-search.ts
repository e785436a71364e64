import type { TraceFilter } from "../../../api-schema/trace.js";
import type { Clock } from "../../../runtime/clock.js";
import type { MaybePromise } from "../../../runtime/maybe-promise.js";
import { createConcurrencyLimit } from "../../../runtime/concurrency-limit.js";
import { SearchedTexts } from "./searched-texts.js";
import type { SpanStore } from "../span-store.js";
import { TextSearch } from "./text-search.js";
import { hasScore, needsSearch, readConditions } from "../../traces/trace-conditions.js";
import { scoresOf } from "../../traces/trace-summary.js";
import type { LabelCondition } from "../../../api-schema/query/conditions.js";
import { TimeSlice } from "../../../runtime/time-slice.js";
import type { TraceBlock } from "../index/trace-block.js";
import { TraceValueFilter } from "./trace-filter.js";
import type { TraceIndex } from "../index/trace-index.js";
import type { TraceRecord } from "../../traces/trace-record.js";
import type { TraceRegistry } from "../../traces/trace-registry.js";

/** Receives a matching trace with its block and slot in the index, where its facts are cached. @returns false to stop. */
export type TraceVisitor = (trace: TraceRecord, block: TraceBlock, slot: number) => boolean;

/** The traces to visit, by the sequence of their arrival. Default: all of them, newest first. */
export interface SearchRange {
  /** Exclusive. */
  readonly after?: number;
  /** Exclusive. */
  readonly before?: number;
  readonly isOldestFirst?: boolean;
}

/**
 * Visits all traces of a range that match a filter, until `visit`
 * returns false. Works in slices, between which traces may be added and removed. Rejects with the signal's reason when aborted.
 */
export type TraceSearch = (
  filter: TraceFilter,
  range: SearchRange,
  visit: TraceVisitor,
  signal?: AbortSignal,
) => Promise<void>;

/** Options of {@link createTraceSearch}. */
export interface TraceSearchOptions {
  readonly traces: Pick<TraceRegistry, "ofEveryTenant">;
  readonly spans: SpanStore;
  readonly index: TraceIndex;
  readonly clock: Pick<Clock, "monotonic" | "now">;
}

/** Traces visited between two checks of the clock. */
const TRACES_PER_CHECK = 32;
/** Concurrent text searches: each holds the results of the batches that it has searched. */
const MAX_TEXT_SEARCHES = 2;

export function createTraceSearch({ traces, spans, index, clock }: TraceSearchOptions): TraceSearch {
  const limited = createConcurrencyLimit(MAX_TEXT_SEARCHES);
  const searchedTexts = new SearchedTexts(index);

  const search: TraceSearch = async (filter, range, visit, signal) => {
    signal?.throwIfAborted();
    // The sequence of the first trace is 1.
    const { after = 0, before = Number.POSITIVE_INFINITY, isOldestFirst = false } = range;
    const timeSlice = new TimeSlice(clock, signal);
    const conditions = readConditions(filter, clock.now());
    const { names, scores, searches } = conditions;
    const values = new TraceValueFilter(filter, conditions);
    const { root_name: rootName, trace_id: traceId } = filter;
    const text =
      searches.length === 0
        ? undefined
        : {
            searches: searches.map(({ predicate, isNegated }) => {
              return { search: new TextSearch(predicate, spans), isNegated };
            }),
            bit: searchedTexts.bitOf(
              JSON.stringify(searches.map(({ predicate, isNegated }) => [predicate.id, isNegated])),
            ),
          };
    let nowMs = clock.monotonic();

    /** Whether a trace matches; a promise if its text must be searched. */
    function isFound(trace: TraceRecord, block: TraceBlock, slot: number): MaybePromise<boolean> {
      index.ensure(block, slot, trace, nowMs);
      if (!values.matches(block, slot)) return false;
      if (rootName !== undefined && index.rootNameOf(block, slot, trace, nowMs) !== rootName) return false;
      if (!names.every((condition) => hasName(condition, trace, block, slot))) return false;
      if (scores.length > 0 && !hasScores(trace)) return false;
      if (text === undefined) return true;
      return block.hasText(slot, text.bit) ?? hasText(text, trace, block, slot);
    }

    function hasName(
      { key, values: wanted, isNegated }: LabelCondition,
      trace: TraceRecord,
      block: TraceBlock,
      slot: number,
    ): boolean {
      let name: string;
      if (key === "session") name = trace.sessionId;
      else if (key === "user") name = trace.userId;
      else if (key === "trace_id") name = trace.traceId;
      else name = index.rootNameOf(block, slot, trace, nowMs);
      return wanted.includes(name) !== isNegated;
    }

    function hasScores(trace: TraceRecord): boolean {
      const ofTrace = scoresOf(trace, spans);
      return scores.every((condition) => hasScore(ofTrace, condition));
    }

    async function hasText(
      { searches: all, bit }: NonNullable<typeof text>,
      trace: TraceRecord,
      block: TraceBlock,
      slot: number,
    ): Promise<boolean> {
      const { changes } = trace;
      let matches = true;
      for (const { search: each, isNegated } of all) {
        matches = (await each.matches(trace, timeSlice)) !== isNegated;
        if (trace.isRemoved) return false;
        if (!matches) break;
      }
      if (trace.changes === changes) block.setText(slot, bit, matches);
      // Spans may have arrived during the search.
      index.ensure(block, slot, trace, nowMs);
      return matches;
    }

    if (traceId !== undefined) {
      const found = traces.ofEveryTenant(traceId);
      for (const trace of isOldestFirst ? found.reverse() : found) {
        const block = index.blockBefore(trace.sequence + 1);
        if (block === undefined || trace.sequence <= after || trace.sequence >= before) continue;
        const slot = block.slotOf(trace);
        if ((await isFound(trace, block, slot)) && !visit(trace, block, slot)) return;
      }
      return;
    }

    let visited = 0;
    const step = isOldestFirst ? 1 : -1;
    let block = isOldestFirst ? index.blockAfter(after) : index.blockBefore(before);
    while (block !== undefined) {
      const first = Math.max(0, block.slotsBefore(after + 1));
      const end = block.slotsBefore(before);
      if (end <= first) return;
      for (let slot = isOldestFirst ? first : end - 1; slot >= first && slot < end; slot += step) {
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
      block = isOldestFirst ? index.blockAfter(block.lastSequence) : index.blockBefore(block.firstSequence);
    }
  };

  return (filter, range, visit, signal) => {
    const run = (): Promise<void> => search(filter, range, visit, signal);
    // A query without a text is short and does not wait for text searches.
    return needsSearch(filter) ? limited(run, signal) : run();
  };
}
