import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { ApiError } from "../api-schema/errors.js";
import { TraceFilterSchema } from "../api-schema/trace.js";
import type { SpanPages, StoredTrace, TraceKey, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { errorResponses } from "./error-schemas.js";
import { traceFileName } from "./trace-file-name.js";
import { traceLines } from "./trace-lines.js";
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
    const timeSlice = new TimeSlice(clock, connected);
    try {
      for (let keys = first; keys.done !== true; keys = await rest.next()) {
        for await (const trace of tracesOf(traces, keys.value, connected)) {
          if (timeSlice.isOver()) await timeSlice.next();
          try {
            yield* traceLines({ ...trace, received: untilDeleted(trace.received) }, version, timeSlice);
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

/** The traces that are still there. */
function tracesOf(
  store: TraceStore,
  keys: readonly TraceKey[],
  signal: AbortSignal,
): AsyncIterable<StoredTrace> {
  return store.getEach?.(keys, signal) ?? oneByOne(store, keys, signal);
}

async function* oneByOne(
  store: TraceStore,
  keys: readonly TraceKey[],
  signal: AbortSignal,
): AsyncGenerator<StoredTrace, void> {
  for (const key of keys) {
    const trace = await store.get(key, signal);
    if (trace !== undefined) yield trace;
  }
}

/** The pages of a trace. If it is deleted meanwhile, they end: the rest of it is left out, and the other traces are not. */
async function* untilDeleted(pages: SpanPages): SpanPages {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "trace_not_found") throw error;
  }
}

/** Pages of keys of which the first was already read. */
interface PagesOfKeys {
  readonly first: IteratorResult<readonly TraceKey[], unknown>;
  readonly rest: AsyncIterator<readonly TraceKey[], unknown>;
}

/** A name that is valid on every file system. */
function fileName(traceId: string | undefined, nowMs: number): string {
  if (traceId !== undefined) return traceFileName(traceId, "otlp.jsonl");
  return `obspan-traces-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-")}.otlp.jsonl`;
}
