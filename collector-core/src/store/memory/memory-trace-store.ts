import type {
  Facets,
  Histogram,
  HistogramQuery,
  TraceFilter,
  TraceQuery,
  TraceSummary,
} from "../../api-schema/trace.js";
import type {
  AppendOptions,
  EvictionReason,
  Evictions,
  HeldSpan,
  StoredTrace,
  TraceKey,
  TracePage,
  TraceStore,
} from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { originOf, type PipelineSpan } from "../../span/pipeline-span.js";
import { hashSpan } from "../../hashing/span-hashes.js";
import { requireTimestamp } from "../../span/required-timestamp.js";
import type { StoredSpan } from "../../span/stored-span.js";
import { DroppedSpans } from "../traces/dropped-spans.js";
import { createLoopUtilization } from "../../runtime/loop-utilization.js";
import { EvictedTraces } from "./evicted-traces.js";
import { FacetCounter } from "../traces/facet-counter.js";
import { IdleCatchUp } from "./index/idle-catch-up.js";
import { ListCursors } from "../traces/list-cursor.js";
import { SpanStore } from "./span-store.js";
import { holdForReading, type MemoryInUse } from "./bytes/segment-store.js";
import { FLAG, NO_ROW } from "../traces/span-table.js";
import { StartHistogram } from "../traces/start-histogram.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import { TraceIndex } from "./index/trace-index.js";
import { TracePageCollector } from "./search/trace-pages.js";
import type { TraceRecord } from "../traces/trace-record.js";
import { TraceRegistry } from "../traces/trace-registry.js";
import { createTraceSearch, type TraceSearch } from "./search/trace-search.js";
import { summarizeTrace } from "../traces/trace-summary.js";

/** Evaluation spans kept per trace, apart from its other spans (contract 8). */
const MAX_EVALUATIONS_PER_TRACE = 100;
/** 98,304 evicted traces and more are remembered, in 2 MiB; fewer where `maxBytes` is less than 64 MiB. */
const MAX_EVICTED_PLACES = 2 ** 17;
/** A search ends at a free place, of which fewer would leave none. */
const MIN_EVICTED_PLACES = 4;
const MAX_SEGMENT_BYTES = 2 ** 20;
const MIN_SEGMENT_BYTES = 2 ** 12;
/** How often what has expired is let go; reads are exact without it. */
const SWEEP_INTERVAL_MS = 1000;
/** Dead space given back per append and per sweep: about a millisecond of copying. */
const COMPACTION_BUDGET_BYTES = 2 ** 20;
/**
 * Questions without a text that are answered at once. They share the time that there is, so more of them make none faster;
 * but each holds what it has gathered, which is a thousand summaries of the largest page.
 */
const MAX_QUESTIONS = 4;
const DEFAULT_LIMIT = 20;
const DEFAULT_BUCKETS = 60;

/** What bounds a {@link createMemoryTraceStore | memory trace store}. */
export interface MemoryTraceStoreOptions {
  /** `limits.max_traces`: beyond it the oldest go. */
  readonly maxTraces: number;
  /** `trace_store.max_spans_per_trace`: beyond it a trace's oldest spans go. */
  readonly maxSpansPerTrace: number;
  /** `trace_store.ttl_seconds`: 0 is for ever. */
  readonly ttlSeconds: number;
  /** `trace_store.max_bytes`: beyond it the oldest traces go. All that the store holds counts. */
  readonly maxBytes: number;
  /** Charged with the memory of traces that left the store while they were read. Default: that memory is not counted. */
  readonly evictedInUse?: MemoryInUse;
  readonly clock: Clock;
  /** For which part of the time the event loop was at work since this was last asked. Default: as it measures that. */
  readonly loopUtilization?: () => number;
  /** Size of a piece of memory. Default: 1 MiB, less where `maxBytes` is less than 64 MiB. */
  readonly segmentBytes?: number;
}

/** Keeps recent traces in memory, their text outside the heap (spec 4.9 rule 2). */
export function createMemoryTraceStore(options: MemoryTraceStoreOptions): TraceStore {
  const { maxTraces, maxSpansPerTrace, ttlSeconds, maxBytes, clock } = options;
  const {
    loopUtilization = createLoopUtilization(),
    evictedInUse = { take: () => undefined, giveBack: () => undefined },
    segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, Math.trunc(maxBytes / 64))),
  } = options;
  const traces = new TraceRegistry();
  const spans = new SpanStore(segmentBytes, evictedInUse);
  const evictedTraces = new EvictedTraces(
    Math.min(MAX_EVICTED_PLACES, Math.max(MIN_EVICTED_PLACES, 2 ** Math.trunc(Math.log2(maxBytes / 512)))),
  );
  const cursors = new ListCursors();
  const index = new TraceIndex(spans, clock);
  const idleCatchUp = new IdleCatchUp({ index, clock, loopUtilization });
  const searchTraces = createTraceSearch({ traces, spans, index, clock });
  const evicted: Record<EvictionReason, number> = {
    max_traces: 0,
    max_bytes: 0,
    ttl: 0,
    span_cap: 0,
    cleared: 0,
  };
  let lateEvaluations = 0;
  let sweeper: NodeJS.Timeout | undefined;

  const search: TraceSearch = (...question) => {
    idleCatchUp.asked();
    return searchTraces(...question);
  };

  const inTurn = createConcurrencyLimit(MAX_QUESTIONS);

  /** Answers a question when it is its turn. */
  function answer<T>(
    filter: TraceFilter,
    signal: AbortSignal | undefined,
    task: () => Promise<T>,
  ): Promise<T> {
    // A search for text waits for its own turn, and one trace is found at once.
    const isTakingTurns = filter.q === undefined && filter.trace_id === undefined;
    return isTakingTurns ? inTurn(task, signal) : task();
  }

  function heldBytes(): number {
    return spans.bytes + traces.bytes + index.bytes + evictedTraces.bytes;
  }

  // --- Traces and spans that go.

  function dropTrace(trace: TraceRecord): void {
    index.remove(trace);
    traces.remove(trace);
    spans.removeAll(trace);
    if (trace.dropped !== undefined) traces.charge(-DroppedSpans.BYTES);
    if (traces.count === 0 && !spans.isInBatch) spans.clear();
  }

  function findRow(key: TraceKey, spanId: string): { trace: TraceRecord | undefined; row: number } {
    const trace = traces.get(key);
    return { trace, row: trace === undefined ? NO_ROW : spans.find(trace, hashSpan(trace, spanId)) };
  }

  function evict(trace: TraceRecord, reason: EvictionReason): void {
    dropTrace(trace);
    evictedTraces.add(trace);
    evicted[reason]++;
  }

  function evictExpired(): void {
    if (ttlSeconds === 0) return;
    const expiredBefore = clock.monotonic() - ttlSeconds * 1000;
    for (;;) {
      const trace = traces.quietest;
      if (trace === undefined || trace.lastSpanAtMs > expiredBefore) return;
      evict(trace, "ttl");
    }
  }

  function makeRoom(): void {
    while (heldBytes() > maxBytes) {
      if (spans.reclaim()) continue;
      if (traces.oldest === undefined) return;
      evict(traces.oldest, "max_bytes");
    }
  }

  function dropOldestSpan(trace: TraceRecord): void {
    const row = trace.firstSpan;
    if (trace.dropped === undefined) {
      trace.dropped = new DroppedSpans();
      traces.charge(DroppedSpans.BYTES);
    }
    trace.dropped.add(spans, trace, row);
    trace.firstSpan = spans.next(row);
    trace.spanCount--;
    spans.remove(trace, row);
    evicted.span_cap++;
  }

  function dropOldestEvaluation(trace: TraceRecord): void {
    const row = trace.firstEvaluation;
    trace.firstEvaluation = spans.next(row);
    trace.evaluationCount--;
    spans.remove(trace, row);
    evicted.span_cap++;
  }

  // --- Spans that come.

  function appendSpan(span: PipelineSpan, nowMs: number, isImport: boolean): void {
    const { facts } = span;
    const { hashes } = originOf(span);
    const key = { tenant: span.context.tenant, traceId: facts.traceId };
    const isEvaluation = facts.spanType === "evaluation";
    let trace = traces.get(key, hashes.trace);
    const isNew = trace === undefined;
    if (trace === undefined) {
      const isLate = !isImport && evictedTraces.has(hashes.trace);
      if (isLate && isEvaluation) {
        lateEvaluations++;
        return;
      }
      if (traces.count >= maxTraces && traces.oldest !== undefined) evict(traces.oldest, "max_traces");
      trace = traces.create(key, hashes.trace, isLate, nowMs);
    } else {
      traces.touch(trace, nowMs);
      index.forget(trace);
      const known = spans.find(trace, hashes.span);
      if (known !== NO_ROW) {
        const hasEnded = (spans.flags(known) & FLAG.running) === 0;
        if (!(hasEnded && facts.isRunning)) spans.replace(trace, known, span, nowMs);
        return;
      }
    }

    const row = spans.add(trace, span, nowMs);
    if (isNew) {
      traces.add(trace);
      index.add(trace);
    }
    trace.arrivals++;
    if (isEvaluation) {
      if (trace.firstEvaluation === NO_ROW) trace.firstEvaluation = row;
      else spans.setNext(trace.lastEvaluation, row);
      trace.lastEvaluation = row;
      if (++trace.evaluationCount > MAX_EVALUATIONS_PER_TRACE) dropOldestEvaluation(trace);
    } else {
      if (trace.firstSpan === NO_ROW) trace.firstSpan = row;
      else spans.setNext(trace.lastSpan, row);
      trace.lastSpan = row;
      trace.dropped?.reviveRoot(spans, row);
      if (++trace.spanCount > maxSpansPerTrace) dropOldestSpan(trace);
    }
  }

  const sweep = (): void => {
    evictExpired();
    spans.compact(COMPACTION_BUDGET_BYTES);
  };

  const store: TraceStore = {
    start() {
      sweeper ??= setInterval(sweep, SWEEP_INTERVAL_MS).unref();
      idleCatchUp.start();
    },

    stop() {
      clearInterval(sweeper);
      sweeper = undefined;
      idleCatchUp.stop();
    },

    async append(
      batch: readonly PipelineSpan[],
      { isImport = false }: AppendOptions = {},
    ): Promise<Evictions> {
      const before = { ...evicted };
      evictExpired();
      const nowMs = clock.monotonic();
      for (let from = 0; from < batch.length;) {
        const to = spans.beginBatch(batch, from) ?? from + 1;
        try {
          for (let at = from; at < to; at++) {
            const span = batch[at];
            if (span !== undefined) appendSpan(span, nowMs, isImport);
          }
        } finally {
          spans.endBatch();
        }
        makeRoom();
        from = to;
      }
      spans.compact(COMPACTION_BUDGET_BYTES);
      return difference(evicted, before);
    },

    async get(key: TraceKey): Promise<StoredTrace | undefined> {
      evictExpired();
      const trace = traces.get(key);
      if (trace === undefined) return undefined;
      const nowMs = clock.monotonic();
      const taken = spans
        .rowsOf(trace)
        .map((row) => ({ row, snapshot: spans.snapshot(row, trace.tenant, nowMs) }));
      const release = holdForReading(taken.map(({ snapshot }) => snapshot.slice));
      const inOrder = (compare: (a: number, b: number) => number): StoredSpan[] =>
        taken.toSorted((a, b) => compare(a.row, b.row)).map(({ snapshot }) => snapshot);
      return {
        summary: summarizeTrace(trace, spans, nowMs),
        spans: inOrder((a, b) => spans.compareStart(a, b)),
        received: inOrder((a, b) => spans.compareArrival(a, b)),
        release,
      };
    },

    async summary(key: TraceKey): Promise<TraceSummary | undefined> {
      evictExpired();
      const trace = traces.get(key);
      return trace && summarizeTrace(trace, spans, clock.monotonic());
    },

    async tenantsOf(traceId: string): Promise<readonly string[]> {
      evictExpired();
      return traces.ofEveryTenant(traceId).map(({ tenant }) => tenant);
    },

    async spanLabels(key: TraceKey, spanId: string) {
      evictExpired();
      const { row } = findRow(key, spanId);
      if (row === NO_ROW) return undefined;
      const { model, agent } = spans.labels(row);
      return { model: model || null, agent: agent || null };
    },

    async getSpan(key: TraceKey, spanId: string): Promise<HeldSpan | undefined> {
      evictExpired();
      const { trace, row } = findRow(key, spanId);
      if (trace === undefined || row === NO_ROW) return undefined;
      const snapshot = spans.snapshot(row, trace.tenant, clock.monotonic());
      return { ...snapshot, release: holdForReading([snapshot.slice]) };
    },

    async list(query: TraceQuery, signal?: AbortSignal): Promise<TracePage> {
      const { limit = DEFAULT_LIMIT, cursor, order = "newest" } = query;
      const after = cursor === undefined ? undefined : cursors.decode(cursor, order);
      return await answer(query, signal, async () => {
        evictExpired();
        const newestSequence = after?.newestSequence ?? traces.newestSequence;
        const collector = new TracePageCollector(order, limit, after);
        const before = order === "newest" && after !== undefined ? after.sequence : newestSequence + 1;
        await search(query, before, (trace, block, slot) => collector.add(trace, block, slot), signal);

        const { page, hasMore } = collector.finish();
        const timeSlice = new TimeSlice(clock, signal);
        const summaries: TraceSummary[] = [];
        for (const { trace } of page) {
          if (timeSlice.isOver()) await timeSlice.next();
          if (!trace.isRemoved) summaries.push(summarizeTrace(trace, spans, clock.monotonic()));
        }
        const last = page.at(-1);
        const nextCursor =
          hasMore && last !== undefined
            ? cursors.encode({ order, sequence: last.trace.sequence, value: last.value, newestSequence })
            : null;
        return { traces: summaries, nextCursor };
      });
    },

    async facets(filter: TraceFilter, signal?: AbortSignal): Promise<Facets> {
      return await answer(filter, signal, async () => {
        evictExpired();
        const counter = new FacetCounter();
        await search(
          filter,
          Number.POSITIVE_INFINITY,
          (_trace, block, slot) => {
            counter.add(block, slot);
            return true;
          },
          signal,
        );
        return await counter.toFacets(new TimeSlice(clock, signal));
      });
    },

    async histogram(query: HistogramQuery, signal?: AbortSignal): Promise<Histogram> {
      return await answer(query, signal, async () => {
        evictExpired();
        const counter = new StartHistogram();
        await search(
          query,
          Number.POSITIVE_INFINITY,
          (_trace, block, slot) => {
            counter.add(block, slot);
            return true;
          },
          signal,
        );
        const since = requireTimestamp(query.since, "since");
        const until = requireTimestamp(query.until, "until");
        return counter.toHistogram(query.buckets ?? DEFAULT_BUCKETS, {
          sinceMs: since?.epochMs,
          untilMs: until && until.epochMs + Math.sign(until.nanos),
        });
      });
    },

    async select(filter: TraceFilter, signal?: AbortSignal): Promise<readonly TraceKey[]> {
      return await answer(filter, signal, async () => {
        evictExpired();
        const chosen: TraceKey[] = [];
        await search(
          filter,
          Number.POSITIVE_INFINITY,
          ({ tenant, traceId }) => {
            chosen.push({ tenant, traceId });
            return true;
          },
          signal,
        );
        return chosen.reverse();
      });
    },

    async remove(key: TraceKey): Promise<boolean> {
      evictExpired();
      const trace = traces.get(key);
      if (trace === undefined) return false;
      dropTrace(trace);
      evicted.cleared++;
      return true;
    },

    async clear(): Promise<number> {
      evictExpired();
      const { count } = traces;
      traces.clear();
      spans.clear();
      index.clear();
      // What was cleared on purpose starts afresh, so that an export can be imported again as it was.
      evictedTraces.clear();
      evicted.cleared += count;
      return count;
    },

    usage() {
      return {
        traces: traces.count,
        spans: spans.count,
        bytes: heldBytes(),
        evicted: { ...evicted },
        lateEvaluations,
      };
    },
  };
  return store;
}

function difference(
  after: Readonly<Record<EvictionReason, number>>,
  before: Readonly<Record<EvictionReason, number>>,
): Evictions {
  const changed: Partial<Record<EvictionReason, number>> = {};
  for (const reason of Object.keys(after) as EvictionReason[]) {
    if (after[reason] > before[reason]) changed[reason] = after[reason] - before[reason];
  }
  return changed;
}
