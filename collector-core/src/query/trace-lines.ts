import { ApiError } from "../api-schema/errors.js";
import type { SpanPages, StoredTrace, TraceKey, TraceStore } from "../interfaces.js";
import type { JsonLines } from "../otlp/json-lines.js";
import type { WritableSpan } from "../otlp/request-to-otlp.js";
import type { SpanMarks } from "../otlp/span-marks.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { isSmallSpan, readReceived, readSmallReceived, type StoredSpan } from "../span/stored-span.js";

/**
 * Writes a trace as OTLP-JSON lines: all its spans as received, in order of arrival. Holds one page of spans at a time.
 *
 * @param version - of the collector, written to the file.
 */
export async function* traceLines(
  trace: StoredTrace,
  version: string,
  timeSlice: TimeSlice,
): AsyncGenerator<string, void> {
  // Loaded on first use: protobuf takes a tenth of the start-up time.
  const { JsonLines: Lines } = await import("../otlp/json-lines.js");
  const lines = new Lines(version);
  const marksOf = createMarks(trace);
  // eslint-disable-next-line obspan/no-bare-span-pages -- small spans are written together, with a pause after each line
  for await (const page of trace.received) {
    for (let from = 0; from < page.length;) {
      const { parts, to } = await nextRun(page, from, lines, marksOf, timeSlice);
      for (const part of parts) {
        // Yields to the event loop: a fast client would otherwise get all lines in one turn.
        if (timeSlice.isOver()) await timeSlice.next();
        if (part !== undefined) yield part;
      }
      from = to;
    }
  }
  for (const part of lines.end()) yield part;
}

/** Writes traces one after the other. One that is evicted or deleted meanwhile is left out, or the rest of it. */
export async function* linesOfTraces(
  store: Pick<TraceStore, "get" | "getEach">,
  pages: AsyncIterable<readonly TraceKey[]>,
  version: string,
  timeSlice: TimeSlice,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  for await (const keys of pages)
    for await (const trace of eachTrace(store, keys, signal)) {
      try {
        if (timeSlice.isOver()) await timeSlice.next();
        yield* traceLines({ ...trace, received: untilDeleted(trace.received) }, version, timeSlice);
      } finally {
        trace.release();
      }
    }
}

/** The traces that are still there, each until the next one. */
export function eachTrace(
  store: Pick<TraceStore, "get" | "getEach">,
  keys: readonly TraceKey[],
  signal: AbortSignal,
): AsyncIterable<StoredTrace> {
  return store.getEach?.(keys, signal) ?? oneByOne(store, keys, signal);
}

async function* oneByOne(
  store: Pick<TraceStore, "get">,
  keys: readonly TraceKey[],
  signal: AbortSignal,
): AsyncGenerator<StoredTrace, void> {
  for (const key of keys) {
    const trace = await store.get(key, signal);
    if (trace !== undefined) yield trace;
  }
}

/** The pages of a trace. If it is deleted meanwhile, they end: the rest of it is left out, and the other traces are not. */
export async function* untilDeleted(pages: SpanPages): SpanPages {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "trace_not_found") throw error;
  }
}

/** What the file has with each span of a trace, asked in the order of the file. */
type MarksOf = (span: StoredSpan) => SpanMarks | undefined;

/** The marks of a trace that lost spans; the first span has those of the trace. */
function createMarks({ remains }: StoredTrace): MarksOf {
  let ofTrace = remains;
  return ({ isWrapper }) => {
    if (remains === undefined) return undefined;
    const marks = { isWrapper: remains.dropped !== undefined && isWrapper, remains: ofTrace };
    ofTrace = undefined;
    return marks;
  };
}

/** Writes the next run of small spans, each parsed when it is written; or one large span, parsed in time slices. */
async function nextRun(
  page: readonly StoredSpan[],
  from: number,
  lines: JsonLines,
  marksOf: MarksOf,
  timeSlice: TimeSlice,
): Promise<{ parts: Iterable<string | undefined>; to: number }> {
  const first = page[from];
  if (first === undefined) return { parts: [], to: from };
  if (!isSmallSpan(first)) {
    const received = await readReceived(first, timeSlice);
    return { parts: lines.writeAlone({ ...received, marks: marksOf(first) }), to: from + 1 };
  }
  let to = from + 1;
  for (let next = page[to]; next !== undefined && isSmallSpan(next); next = page[to]) to++;
  return { parts: lines.write(smallSpans(page, from, to, marksOf)), to };
}

function* smallSpans(
  page: readonly StoredSpan[],
  from: number,
  to: number,
  marksOf: MarksOf,
): Generator<WritableSpan> {
  for (let at = from; at < to; at++) {
    const span = page[at];
    if (span !== undefined) yield { ...readSmallReceived(span), marks: marksOf(span) };
  }
}
