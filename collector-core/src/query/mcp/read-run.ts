import { readSpansInSteps, type Run } from "../../analysis/run.js";
import type { SpanNode } from "../../analysis/span-tree.js";
import { ApiError } from "../../api-schema/errors.js";
import type { NormalizedSpan, TraceSummary } from "../../api-schema/trace.js";
import type { TraceKey, TraceStore } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import { runInSlices } from "../../runtime/steps.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { eachSpan } from "../../span/each-span.js";
import { SpanBudget } from "../../span/span-budget.js";
import { readScalars, readStored, type StoredSpan } from "../../span/stored-span.js";
import { findTraceKey } from "../find-trace-key.js";
import { shortenTexts, SHORT_TEXT_LIMIT, TEXT_LIMIT } from "../shorten-texts.js";
import { requiredStore, shownId, traceNotFound } from "../trace-requests.js";

/** Runs that are read at the same time: each keeps the spans of a trace in memory. */
const CONCURRENCY = 1;
/** Bytes of the spans that are read with their lists and objects; of others only short values are read. */
const MAX_BYTES = 16 * 2 ** 20;
/** A larger span is read without its lists and objects. */
const MAX_SPAN_BYTES = 2 * 2 ** 20;
const NO_TEXTS: ReadonlySet<string> = new Set();

/** A trace as a run, with long texts shortened. */
export interface TraceRun {
  readonly key: TraceKey;
  readonly summary: TraceSummary;
  readonly run: Run;
  /** False if the trace is so large that some spans were read without their long values. */
  readonly hasAllValues: boolean;
}

/** A trace of a request. */
export interface TraceReference {
  readonly trace_id: string;
  readonly tenant?: string | undefined;
}

/**
 * Reads a trace, and makes an answer of it before the next one is read.
 *
 * @throws `ApiError` trace_not_found, ambiguous_trace, trace_store_disabled.
 */
export type ReadTraceRun = <Result>(
  reference: TraceReference,
  signal: AbortSignal,
  answer: (run: TraceRun, timeSlice: TimeSlice) => Result | Promise<Result>,
) => Promise<Result>;

export function createRunReader({
  store,
  clock,
}: {
  readonly store: TraceStore | undefined;
  readonly clock: Pick<Clock, "monotonic">;
}): ReadTraceRun {
  const limited = createConcurrencyLimit(CONCURRENCY);
  return async ({ trace_id: traceId, tenant }, signal, answer) => {
    const traces = requiredStore(store);
    const key = await findTraceKey(traces, traceId, tenant, signal);
    return await limited(async () => {
      const trace = await traces.get(key, signal);
      if (trace === undefined) throw traceNotFound(traceId);
      const timeSlice = new TimeSlice(clock, signal);
      const spans: NormalizedSpan[] = [];
      const budget = new SpanBudget({ maxBytes: MAX_BYTES, maxSpanBytes: MAX_SPAN_BYTES });
      let hasAllValues = true;
      try {
        for await (const stored of eachSpan(trace.spans, timeSlice)) {
          const isWhole = budget.take(stored);
          hasAllValues &&= isWhole;
          spans.push(await readShort(stored, isWhole, timeSlice));
        }
      } finally {
        trace.release();
      }
      const run = await runInSlices(readSpansInSteps(spans), timeSlice);
      return await answer({ key, summary: trace.summary, run, hasAllValues }, timeSlice);
    }, signal);
  };
}

async function readShort(
  stored: StoredSpan,
  isWhole: boolean,
  timeSlice: TimeSlice,
): Promise<NormalizedSpan> {
  if (isWhole) return shortened(await readStored(stored, timeSlice), false);
  return shortened(await readScalars(stored, NO_TEXTS, timeSlice), true);
}

function shortened(span: NormalizedSpan, isBrief: boolean): NormalizedSpan {
  return shortenTexts(span, isBrief ? SHORT_TEXT_LIMIT : TEXT_LIMIT) as NormalizedSpan;
}

/** The span of a step, by its number or its id. @throws `ApiError` invalid_query, trace_not_found. */
export function requiredNode(
  { run, summary }: Pick<TraceRun, "run" | "summary">,
  { step, span_id: spanId }: { readonly step?: number | undefined; readonly span_id?: string | undefined },
): SpanNode | undefined {
  if (spanId !== undefined) {
    const node = run.tree.byId.get(spanId);
    if (node !== undefined) return node;
    throw new ApiError(
      "trace_not_found",
      `Span ${shownId(spanId)} is not in trace ${shownId(summary.trace_id)}.`,
    );
  }
  if (step === undefined) return undefined;
  const node = run.steps[step - 1];
  if (node !== undefined) return node;
  const { length } = run.steps;
  throw new ApiError(
    "invalid_query",
    length === 0
      ? "The trace has no steps: use span_id, or leave out step."
      : `The trace has the steps 1 to ${length}, not ${step}.`,
  );
}
