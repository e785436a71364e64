import {
  ContextReader,
  OUTLINE_ATTRIBUTES,
  outlineOf,
  type FindModel,
  type SpanOutline,
} from "../analysis/context/index.js";
import type { CallContext } from "../api-schema/context.js";
import { ApiError } from "../api-schema/errors.js";
import type { StoredTrace, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { runInSlices } from "../runtime/steps.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { eachSpan } from "../span/each-span.js";
import { hasFewValues, MAX_KEPT_VALUES } from "../span/span-budget.js";
import { readPartly, readStored } from "../span/stored-span.js";
import { findTraceKey } from "./find-trace-key.js";
import { requiredStore, shownId, traceNotFound } from "./trace-requests.js";

/** Contexts that are read at the same time: each keeps some calls with their texts in memory. */
const CONCURRENCY = 1;
/** Bytes of spans that are read for one context: those of the call itself, and of others as long as they fit. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A model call whose context is read. */
export interface ContextQuery {
  readonly trace_id: string;
  readonly span_id: string;
  readonly tenant?: string | undefined;
}

/**
 * Reads what fills the context window of a model call.
 *
 * @throws `ApiError` trace_not_found, ambiguous_trace, invalid_query, trace_store_disabled.
 */
export type ReadContext = (query: ContextQuery, signal: AbortSignal) => Promise<CallContext>;

/** All contexts of a collector share their limits. */
export function createContextReader({
  store,
  clock,
  loadModels,
}: {
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  /** Loads the price table, which is needed for the first context only. */
  readonly loadModels: () => Promise<FindModel>;
}): ReadContext {
  const limited = createConcurrencyLimit(CONCURRENCY);
  return async ({ trace_id: traceId, span_id: spanId, tenant }, signal) => {
    const traces = requiredStore(store);
    const key = await findTraceKey(traces, traceId, tenant, signal);
    return await limited(async () => {
      const trace = await traces.get(key, signal);
      if (trace === undefined) throw traceNotFound(traceId);
      try {
        return await readContext(trace, traceId, spanId, await loadModels(), new TimeSlice(clock, signal));
      } finally {
        trace.release();
      }
    }, signal);
  };
}

/**
 * Reads the spans twice: first without their texts, to find the calls of the agent, then those calls one after the other.
 *
 * @throws `ApiError` trace_not_found, invalid_query.
 */
async function readContext(
  trace: StoredTrace,
  traceId: string,
  spanId: string,
  findModel: FindModel,
  timeSlice: TimeSlice,
): Promise<CallContext> {
  const outlines: SpanOutline[] = [];
  let startTime: string | undefined;
  for await (const stored of eachSpan(trace.spans, timeSlice)) {
    const span = await readPartly(stored, OUTLINE_ATTRIBUTES, timeSlice);
    startTime ??= span.start_time;
    outlines.push(outlineOf(span, startTime));
  }
  const wanted = outlines.find(({ id }) => id === spanId);
  if (wanted === undefined)
    throw new ApiError("trace_not_found", `Span ${shownId(spanId)} is not in trace ${shownId(traceId)}.`);
  const reader = await runInSlices(ContextReader.create(outlines, spanId, findModel), timeSlice);
  if (reader === undefined) {
    const why =
      wanted.type === "llm"
        ? "contains several calls of a model: ask for one of them"
        : `has the type ${shownId(wanted.type)}: only a call of a model has a context`;
    const problem = `Span ${shownId(spanId)} ${why}.`;
    throw new ApiError("invalid_query", problem, { key: "span_id" });
  }
  let bytes = 0;
  let index = 0;
  for await (const stored of eachSpan(trace.spans, timeSlice)) {
    const id = outlines[index++]?.id;
    if (id === undefined || !reader.needed.has(id)) continue;
    bytes += stored.slice.end - stored.slice.start;
    if (bytes > MAX_BYTES && !reader.isTarget(id)) continue;
    if (!hasFewValues(stored)) {
      if (!reader.isTarget(id)) continue;
      const problem = `Span ${shownId(spanId)} has more than ${MAX_KEPT_VALUES} values: its context is not read.`;
      throw new ApiError("invalid_query", problem, { key: "span_id" });
    }
    await runInSlices(reader.add(await readStored(stored, timeSlice)), timeSlice);
  }
  return await runInSlices(reader.finish(), timeSlice);
}
