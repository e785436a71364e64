import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { TraceFilterSchema } from "../api-schema/trace.js";
import type { StoredTrace, TraceKey, TraceStore } from "../interfaces.js";
import type { JsonLines } from "../otlp/json-lines.js";
import type { WritableSpan } from "../otlp/request-to-otlp.js";
import type { SpanMarks } from "../otlp/span-marks.js";
import type { Clock } from "../runtime/clock.js";
import { isSmallSpan, readReceived, readSmallReceived, type StoredSpan } from "../span/stored-span.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { errorResponses } from "./error-schemas.js";
import { requiredStore, traceNotFound, whileAnswering } from "./trace-requests.js";

/** Options of {@link exportRoute}. */
export interface ExportRouteOptions {
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  /** Version of the collector, written to the file. */
  readonly version: string;
  readonly clock: Clock;
}

/** Loosely typed, since the response is a stream. */
const STREAMED: Record<number, object> = {
  200: Type.String({
    description: "One OTLP request in JSON per line (`.otlp.jsonl`), oldest trace first.",
  }),
};

/** `GET /v1/export` (contract 3): a lossless file for `POST /v1/import`. */
export const exportRoute: FastifyPluginAsyncTypebox<ExportRouteOptions> = async (
  app,
  { store, version, clock },
) => {
  app.get(
    "/v1/export",
    {
      schema: {
        tags: ["traces"],
        summary: "Export traces to a file",
        description:
          "The traces that match the filters, each with all its spans as received, as OTLP-JSON lines. The response is " +
          "streamed as an attachment.",
        produces: ["application/jsonl"],
        querystring: Type.Object(TraceFilterSchema.properties, { additionalProperties: false }),
        response: {
          ...STREAMED,
          ...errorResponses(
            "invalid_query",
            "invalid_tenant",
            "trace_not_found",
            "trace_store_disabled",
            "overloaded",
          ),
        },
      },
    },
    async ({ query }, reply) => {
      const traces = requiredStore(store);
      const connected = whileAnswering(reply.raw);
      const rest = traces.select(query, connected)[Symbol.asyncIterator]();
      // Read before the first byte is sent: a query that fails gets an error response.
      const first = await rest.next();
      if (query.trace_id !== undefined && first.done === true) throw traceNotFound(query.trace_id);
      void reply
        .type("application/jsonl; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${fileName(query.trace_id, clock.now())}"`)
        .header("Cache-Control", "no-store");
      return await reply.send(Readable.from(lines(traces, { first, rest }, connected)));
    },
  );

  /** Holds one page of spans at a time. A trace that is evicted during the export is left out. */
  async function* lines(
    traces: TraceStore,
    { first, rest }: PagesOfKeys,
    connected: AbortSignal,
  ): AsyncGenerator<string> {
    // Loaded on first use: protobuf takes a tenth of the start-up time.
    const { JsonLines } = await import("../otlp/json-lines.js");
    const timeSlice = new TimeSlice(clock, connected);
    try {
      for (let keys = first; keys.done !== true; keys = await rest.next()) {
        for (const key of keys.value) {
          if (timeSlice.isOver()) await timeSlice.next();
          const trace = await traces.get(key, connected);
          if (trace === undefined) continue;
          const lines = new JsonLines(version);
          const marksOf = createMarks(trace);
          try {
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
          } finally {
            trace.release();
          }
        }
      }
    } finally {
      await rest.return?.();
    }
  }
};

/** Pages of keys of which the first was already read. */
interface PagesOfKeys {
  readonly first: IteratorResult<readonly TraceKey[], unknown>;
  readonly rest: AsyncIterator<readonly TraceKey[], unknown>;
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

/** A name that is valid on every file system. */
function fileName(traceId: string | undefined, nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-");
  const subject =
    traceId === undefined ? `traces-${time}` : `trace-${traceId.replace(/[^\w-]+/g, "_").slice(0, 64)}`;
  return `obspan-${subject}.otlp.jsonl`;
}
