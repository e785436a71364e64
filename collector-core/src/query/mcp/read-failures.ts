import { ErrorGroups, type ErrorGroup } from "../../analysis/error-groups.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import type { TraceStore } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { eachSpan } from "../../span/each-span.js";
import { copyText } from "../../span/kept-text.js";
import { readScalars } from "../../span/stored-span.js";
import { requiredStore } from "../trace-requests.js";

/** Lists of errors that are read at the same time. */
const CONCURRENCY = 1;
/** Traces with errors that are read for one answer, newest first. */
const MAX_TRACES = 100;
/** Traces that are listed at once. */
const PAGE = 10;
/** No further page is read after so many bytes of spans. */
const MAX_BYTES = 32 * 2 ** 20;
const ERROR_ATTRIBUTES: ReadonlySet<string> = new Set([
  "error_type",
  "error_message",
  "tool_name",
  "agent",
  "model",
]);

/** The errors of one page of traces. */
export interface ErrorPage {
  /** Those in most traces first. */
  readonly groups: readonly ErrorGroup[];
  /** Traces that were read. */
  readonly traces: number;
  readonly nextCursor: string | null;
}

/** Conditions of {@link ReadFailures}. */
export interface FailureQuery {
  readonly query?: string | undefined;
  readonly tenant?: string;
  readonly cursor?: string | undefined;
}

/** Reads the failed spans of the newest traces with errors, grouped by the shape of their messages. */
export type ReadFailures = (query: FailureQuery, signal: AbortSignal) => Promise<ErrorPage>;

export function createFailureReader(
  store: TraceStore | undefined,
  clock: Pick<Clock, "monotonic">,
): ReadFailures {
  const limited = createConcurrencyLimit(CONCURRENCY);
  return ({ query, cursor, ...tenant }, signal) =>
    limited(async () => {
      const traces = requiredStore(store);
      const conditions = [query, "has:error"].filter((part) => part !== undefined).join(" ");
      const groups = new ErrorGroups(copyText);
      const timeSlice = new TimeSlice(clock, signal);
      let bytes = 0;
      let read = 0;
      let next = cursor ?? null;
      do {
        const page = await traces.list(
          { ...tenant, query: conditions, limit: PAGE, ...(next !== null && { cursor: next }) },
          signal,
        );
        // A page is read to its end: its cursor would skip the rest.
        for (const summary of page.traces)
          bytes += await readTrace(traces, summary, groups, timeSlice, signal);
        read += page.traces.length;
        next = page.nextCursor;
      } while (next !== null && read < MAX_TRACES && bytes < MAX_BYTES);
      return {
        groups: groups.list(),
        traces: read,
        nextCursor: next,
      };
    }, signal);
}

async function readTrace(
  store: TraceStore,
  { tenant, trace_id: traceId }: TraceSummary,
  groups: ErrorGroups,
  timeSlice: TimeSlice,
  signal: AbortSignal,
): Promise<number> {
  const trace = await store.get({ tenant, traceId }, signal);
  if (trace === undefined) return 0;
  let bytes = 0;
  try {
    for await (const stored of eachSpan(trace.spans, timeSlice)) {
      bytes += stored.slice.end - stored.slice.start;
      groups.add(await readScalars(stored, ERROR_ATTRIBUTES, timeSlice), tenant);
    }
  } finally {
    trace.release();
  }
  return bytes;
}
