import type { TraceStore } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { createLoopUtilization } from "../../runtime/loop-utilization.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import type { MemoryInUse } from "./bytes/segment-store.js";
import { HeldTraces } from "./held-traces.js";
import { IdleCatchUp } from "./index/idle-catch-up.js";
import { createTraceSearch, type TraceSearch } from "./search/trace-search.js";
import { SessionQueries } from "./sessions/session-queries.js";
import { TraceEviction, type TraceBounds } from "./trace-eviction.js";
import { TraceQueries } from "./trace-queries.js";
import { TraceReader, type ListsInUse } from "./trace-reader.js";
import { TraceWriter } from "./trace-writer.js";

const MAX_SEGMENT_BYTES = 2 ** 20;
const MIN_SEGMENT_BYTES = 2 ** 12;
/** Interval of evicting expired traces. Reads check expiry themselves. */
const SWEEP_INTERVAL_MS = 1000;
/** Bytes compacted per append and per sweep: about a millisecond of copying. */
const COMPACTION_BUDGET_BYTES = 2 ** 20;

/** Appended spans are in memory at once. */
const NOTHING_UNSAVED = {
  disk_full: 0,
  io_error: 0,
  thread_died: 0,
  corrupt_chunk: 0,
  file_gone: 0,
} as const;

/** Listing the spans of a longer trace takes milliseconds. */
const LONG_TRACE_SPANS = 2000;

/** Options of {@link createMemoryTraceStore}. */
export interface MemoryTraceStoreOptions extends TraceBounds {
  /** Charged with the memory of removed traces that are still read. Default: that memory is not counted. */
  readonly evictedInUse?: MemoryInUse;
  /** Bounds the lists of traces that are read. Default: they are not counted. */
  readonly listsInUse?: ListsInUse;
  readonly clock: Clock;
  /** Share of time that the event loop was busy since the last call, from 0 to 1. Default: as Node measures it. */
  readonly loopUtilization?: () => number;
  /** Size of a segment. Default: 1 MiB; less if `maxBytes` is less than 64 MiB. */
  readonly segmentBytes?: number;
  /** Bytes of spans that a question about an attribute parses. Default: 256 MiB. */
  readonly maxReadBytes?: number;
}

/** Creates a store that keeps recent traces in memory, their text outside the heap (spec 4.9 rule 2). */
export function createMemoryTraceStore(options: MemoryTraceStoreOptions): TraceStore {
  const { maxBytes, clock } = options;
  const {
    loopUtilization = createLoopUtilization(),
    evictedInUse = { take: () => undefined, release: () => undefined },
    listsInUse = { require: () => undefined, release: () => undefined },
    segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, Math.trunc(maxBytes / 64))),
  } = options;
  const held = new HeldTraces({ maxBytes, segmentBytes, evictedInUse, clock });
  const { traces, spans, index } = held;
  const eviction = new TraceEviction(held, options, clock);
  const writer = new TraceWriter({ spans, traces: held, room: eviction, caps: eviction.caps, clock });
  const reader = new TraceReader(held, clock, listsInUse);
  const idleCatchUp = new IdleCatchUp({ index, clock, loopUtilization });
  const searchTraces = createTraceSearch({ traces, spans, index, clock });
  const search: TraceSearch = (...query) => {
    idleCatchUp.recordQuery();
    return searchTraces(...query);
  };
  const queries = new TraceQueries({ held, eviction, clock, search, maxReadBytes: options.maxReadBytes });
  const sessions = new SessionQueries({ held, eviction, clock, search });
  let sweeper: NodeJS.Timeout | undefined;

  const sweep = (): void => {
    eviction.evictExpired();
    spans.compact(COMPACTION_BUDGET_BYTES);
  };

  /** The reader, after expired traces are evicted. @throws the reason of an aborted signal. */
  const current = (signal?: AbortSignal): TraceReader => {
    signal?.throwIfAborted();
    eviction.evictExpired();
    return reader;
  };

  return {
    start() {
      sweeper ??= setInterval(sweep, SWEEP_INTERVAL_MS).unref();
      idleCatchUp.start();
    },

    stop() {
      clearInterval(sweeper);
      sweeper = undefined;
      idleCatchUp.stop();
    },

    async append(batch, options = {}) {
      eviction.evictExpired();
      writer.write(batch, options);
      idleCatchUp.recordChange();
      spans.compact(COMPACTION_BUDGET_BYTES);
    },

    async flush() {
      // Memory is all there is: `append` is done when it returns.
    },

    async get(key, signal) {
      // The spans are listed at once. Of many readers of long traces, one does so in a turn of the event loop.
      const { spanCount = 0 } = traces.get(key) ?? {};
      if (spanCount > LONG_TRACE_SPANS) await new TimeSlice(clock, signal).next();
      return current(signal).get(key, signal);
    },
    summaries: async (keys, signal) => await current(signal).summaries(keys, signal),
    tenantsOf: async (traceId, signal) => current(signal).tenantsOf(traceId),
    labelsOf: async (references, signal) => await current(signal).labelsOf(references, signal),
    outputPreviews: async (references, signal) => await current(signal).outputPreviews(references, signal),
    getSpan: async (key, spanId, signal) => current(signal).span(key, spanId),

    list: (query, signal) => queries.list(query, signal),
    facets: (query, signal) => queries.facets(query, signal),
    histogram: (query, signal) => queries.histogram(query, signal),
    sessions(query, signal) {
      idleCatchUp.recordQuery();
      return sessions.list(query, signal);
    },
    session: (key, query, signal) => sessions.session(key, query, signal),
    tenantsOfSession: async (sessionId, signal) => {
      signal?.throwIfAborted();
      return sessions.tenantsOf(sessionId);
    },
    groups: (query, signal) => queries.groups(query, signal),
    select: (filter, signal) => queries.select(filter, signal),
    // Nothing is kept from an earlier process.
    evaluations: async () => [],

    async remove(key) {
      eviction.evictExpired();
      const trace = traces.get(key);
      if (trace === undefined) return false;
      held.remove(trace);
      eviction.countCleared(1);
      return true;
    },

    async clear() {
      eviction.evictExpired();
      const { count } = traces;
      held.clear();
      eviction.countCleared(count);
      return count;
    },

    usage: () => ({
      traces: traces.count,
      spans: spans.count,
      memoryBytes: held.bytes,
      diskBytes: null,
      pendingBytes: 0,
      lateEvaluations: writer.lateEvaluations,
      evicted: eviction.counts,
      unsaved: NOTHING_UNSAVED,
      state: "ok",
      reason: null,
      oldestAtMs: held.oldestAtMs,
      rebuildProgress: null,
    }),
  };
}
