import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { TraceFilterSchema } from "../api-schema/trace.js";
import type { TraceKey, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import {
  isSmallSpan,
  readReceived,
  readSmallReceived,
  type ReceivedSpan,
  type StoredSpan,
} from "../span/stored-span.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { errorResponses } from "./error-schemas.js";
import { requiredStore, traceNotFound, whileConnected } from "./trace-requests.js";

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
      const connected = whileConnected(reply.raw);
      const keys = await traces.select(query, connected);
      if (query.trace_id !== undefined && keys.length === 0) throw traceNotFound(query.trace_id);
      void reply
        .type("application/jsonl; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${fileName(query.trace_id, clock.now())}"`)
        .header("Cache-Control", "no-store");
      return await reply.send(Readable.from(lines(traces, keys, connected)));
    },
  );

  /** Holds one span at a time. A trace that is evicted during the export is left out. */
  async function* lines(traces: TraceStore, keys: readonly TraceKey[], connected: AbortSignal) {
    // Loaded on first use: protobuf takes a tenth of the start-up time.
    const { jsonLines } = await import("../otlp/json-lines.js");
    const timeSlice = new TimeSlice(clock, connected);
    for (const key of keys) {
      if (timeSlice.isOver()) await timeSlice.next();
      const trace = await traces.get(key);
      if (trace === undefined) continue;
      try {
        for (let from = 0; from < trace.received.length;) {
          const { spans, to } = await runOf(trace.received, from, timeSlice);
          for (const part of jsonLines(spans, version)) {
            // Yields to the event loop: a fast client would otherwise get all lines in one turn.
            if (timeSlice.isOver()) await timeSlice.next();
            if (part !== undefined) yield part;
          }
          from = to;
        }
      } finally {
        trace.release();
      }
    }
  }
};

/** The next run of small spans, each parsed when it is consumed; or one large span, parsed in time slices. */
async function runOf(
  stored: readonly StoredSpan[],
  from: number,
  timeSlice: TimeSlice,
): Promise<{ spans: Iterable<ReceivedSpan>; to: number }> {
  const first = stored[from];
  if (first === undefined) return { spans: [], to: from };
  if (!isSmallSpan(first)) return { spans: [await readReceived(first, timeSlice)], to: from + 1 };
  let to = from + 1;
  for (let next = stored[to]; next !== undefined && isSmallSpan(next); next = stored[to]) to++;
  return { spans: smallSpans(stored, from, to), to };
}

function* smallSpans(stored: readonly StoredSpan[], from: number, to: number): Generator<ReceivedSpan> {
  for (let at = from; at < to; at++) {
    const span = stored[at];
    if (span !== undefined) yield readSmallReceived(span);
  }
}

/** A name that is valid on every file system. */
function fileName(traceId: string | undefined, nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-");
  const subject =
    traceId === undefined ? `traces-${time}` : `trace-${traceId.replace(/[^\w-]+/g, "_").slice(0, 64)}`;
  return `obspan-${subject}.otlp.jsonl`;
}
