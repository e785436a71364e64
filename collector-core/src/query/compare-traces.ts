import { compareInSteps, type Comparison, type RunOfTrace } from "../analysis/compare/index.js";
import { readSpansInSteps } from "../analysis/run.js";
import type { CompareQuery } from "../api-schema/compare.js";
import type { NormalizedSpan, TraceSummary } from "../api-schema/trace.js";
import type { TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { runInSlices, type Steps } from "../runtime/steps.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { eachSpan } from "../span/each-span.js";
import { SpanBudget } from "../span/span-budget.js";
import { readScalars, readStored } from "../span/stored-span.js";
import { ComparedSpans } from "./compared-spans.js";
import { findTraceKey } from "./find-trace-key.js";
import { requiredStore, traceNotFound } from "./trace-requests.js";

/** Comparisons at the same time: each keeps two traces in memory. */
const CONCURRENCY = 1;

/** Of the spans of both traces, those with too many values are compared without them: {@link ComparedSpans} bounds their bytes. */
const SPAN_BOUNDS = { maxBytes: Number.POSITIVE_INFINITY, maxSpanBytes: Number.POSITIVE_INFINITY };
const NO_TEXTS: ReadonlySet<string> = new Set();

/**
 * Compares two traces, and makes an answer of the comparison before the next one begins.
 *
 * @throws `ApiError` trace_not_found, ambiguous_trace, trace_store_disabled.
 */
export type CompareTraces = <Answer>(
  query: CompareQuery,
  signal: AbortSignal,
  answer: (comparison: Comparison, spans: ComparedSpans) => Steps<Answer>,
) => Promise<Answer>;

/** All comparisons of a collector share their limits. */
export function createTraceComparer({
  store,
  clock,
}: {
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  readonly clock: Pick<Clock, "monotonic">;
}): CompareTraces {
  const limited = createConcurrencyLimit(CONCURRENCY);
  return async (query, signal, answer) => {
    const traces = requiredStore(store);
    return await limited(async () => {
      const timeSlice = new TimeSlice(clock, signal);
      const spans = new ComparedSpans();
      const kept = { spans, budget: new SpanBudget(SPAN_BOUNDS) };
      const a = await readTrace(traces, query.a, query.tenant, kept, timeSlice, signal);
      const b = await readTrace(traces, query.b, query.tenant_b ?? query.tenant, kept, timeSlice, signal);
      const comparison = await runInSlices(compareTraces(a, b, spans), timeSlice);
      return await runInSlices(answer(comparison, spans), timeSlice);
    }, signal);
  };
}

interface ReadTrace {
  readonly trace: TraceSummary;
  readonly spans: readonly NormalizedSpan[];
}

/** @throws `ApiError` trace_not_found with the id that is missing. */
async function readTrace(
  store: TraceStore,
  traceId: string,
  tenant: string | undefined,
  kept: { readonly spans: ComparedSpans; readonly budget: SpanBudget },
  timeSlice: TimeSlice,
  connected: AbortSignal,
): Promise<ReadTrace> {
  const key = await findTraceKey(store, traceId, tenant, connected);
  const stored = await store.get(key, connected);
  if (stored === undefined) throw traceNotFound(traceId);
  try {
    const spans: NormalizedSpan[] = [];
    for await (const each of eachSpan(stored.spans, timeSlice))
      spans.push(
        kept.budget.take(each)
          ? await runInSlices(kept.spans.keep(await readStored(each, timeSlice)), timeSlice)
          : kept.spans.keepLabels(await readScalars(each, NO_TEXTS, timeSlice)),
      );
    return { trace: stored.summary, spans };
  } finally {
    stored.release();
  }
}

function* compareTraces(a: ReadTrace, b: ReadTrace, kept: ComparedSpans): Steps<Comparison> {
  const [runA, runB] = [yield* runInSteps(a), yield* runInSteps(b)];
  return yield* compareInSteps(runA, runB, kept.fullText);
}

function* runInSteps({ trace, spans }: ReadTrace): Steps<RunOfTrace> {
  return { trace, run: yield* readSpansInSteps(spans) };
}
