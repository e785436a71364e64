import { isFailure, textOf } from "../../analysis/attributes.js";
import { errorShape } from "../../analysis/error-shape.js";
import type { NormalizedSpan, TraceSummary } from "../../api-schema/trace.js";
import type { TraceStore } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import { TimeSlice } from "../../runtime/time-slice.js";
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

/** Failed spans of one kind. */
export interface ErrorGroup {
  readonly shape: string;
  readonly type: string | undefined;
  /** Where they failed: `tool search`, `llm gpt-5`. */
  readonly places: ReadonlySet<string>;
  readonly spans: number;
  readonly traces: number;
  readonly firstTime: string;
  readonly lastTime: string;
  /** The newest of them. */
  readonly example: {
    readonly traceId: string;
    readonly spanId: string;
    readonly message: string | undefined;
  };
}

/** The errors of one page of traces. */
export interface ErrorPage {
  /** Most spans first. */
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

type OpenGroup = { -readonly [Key in keyof ErrorGroup]: ErrorGroup[Key] } & {
  readonly places: Set<string>;
  lastTrace: string;
};

export function createFailureReader(
  store: TraceStore | undefined,
  clock: Pick<Clock, "monotonic">,
): ReadFailures {
  const limited = createConcurrencyLimit(CONCURRENCY);
  return ({ query, cursor, ...tenant }, signal) =>
    limited(async () => {
      const traces = requiredStore(store);
      const conditions = [query, "has:error"].filter((part) => part !== undefined).join(" ");
      const groups = new Map<string, OpenGroup>();
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
        groups: [...groups.values()].toSorted((a, b) => b.spans - a.spans),
        traces: read,
        nextCursor: next,
      };
    }, signal);
}

async function readTrace(
  store: TraceStore,
  { tenant, trace_id: traceId }: TraceSummary,
  groups: Map<string, OpenGroup>,
  timeSlice: TimeSlice,
  signal: AbortSignal,
): Promise<number> {
  const trace = await store.get({ tenant, traceId }, signal);
  if (trace === undefined) return 0;
  let bytes = 0;
  try {
    for await (const page of trace.spans)
      for (const stored of page) {
        if (timeSlice.isOver()) await timeSlice.next();
        bytes += stored.slice.end - stored.slice.start;
        const span = await readScalars(stored, ERROR_ATTRIBUTES, timeSlice);
        if (isFailure(span)) add(groups, span, tenant);
      }
  } finally {
    trace.release();
  }
  return bytes;
}

function add(groups: Map<string, OpenGroup>, span: NormalizedSpan, tenant: string): void {
  const type = textOf(span, "error_type");
  const message = textOf(span, "error_message");
  const shape = errorShape(message ?? type ?? `${span.name} failed`);
  const key = JSON.stringify([type, shape]);
  const { trace_id: traceId, span_id: spanId, start_time: time } = span;
  const trace = JSON.stringify([tenant, traceId]);
  const example = { traceId, spanId, message: message?.slice(0, 400) };
  const group = groups.get(key);
  if (group === undefined) {
    const first = { shape, type, places: new Set([placeOf(span)]), spans: 1, traces: 1 };
    groups.set(key, { ...first, firstTime: time, lastTime: time, example, lastTrace: trace });
    return;
  }
  group.spans++;
  if (group.lastTrace !== trace) group.traces++;
  group.lastTrace = trace;
  if (group.places.size < 5) group.places.add(placeOf(span));
  if (Date.parse(time) < Date.parse(group.firstTime)) group.firstTime = time;
  if (Date.parse(time) < Date.parse(group.lastTime)) return;
  group.lastTime = time;
  group.example = example;
}

function placeOf(span: NormalizedSpan): string {
  const { span_type: type } = span;
  const name =
    type === "tool" ? textOf(span, "tool_name") : type === "llm" ? textOf(span, "model") : undefined;
  return `${type} ${name ?? span.name}`.slice(0, 100);
}
