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
import { errorAnswers } from "./error-schemas.js";
import { requiredStore, traceNotFound, whileConnected } from "./trace-requests.js";

/** What {@link exportRoute} needs. */
export interface ExportRouteOptions {
  /** Undefined where `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  /** Of the collector; it stands in the file. */
  readonly version: string;
  readonly clock: Clock;
}

/** Typed loosely: the answer is streamed. */
const STREAMED: Record<number, object> = {
  200: Type.String({
    description: "One OTLP request in JSON a line (`.otlp.jsonl`), the oldest trace first.",
  }),
};

/** `GET /v1/export` (contract 3): what `POST /v1/import` takes in again, with nothing lost. */
export const exportRoute: FastifyPluginAsyncTypebox<ExportRouteOptions> = async (
  app,
  { store, version, clock },
) => {
  app.get(
    "/v1/export",
    {
      schema: {
        tags: ["traces"],
        summary: "Traces as a file",
        description:
          "The traces that the filters choose, each with all its spans as they came, as OTLP-JSON lines. The answer is " +
          "streamed, as an attachment.",
        produces: ["application/jsonl"],
        querystring: Type.Object(TraceFilterSchema.properties, { additionalProperties: false }),
        response: {
          ...STREAMED,
          ...errorAnswers(
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
      const kept = requiredStore(store);
      const connected = whileConnected(reply.raw);
      const keys = await kept.select(query, connected);
      if (query.trace_id !== undefined && keys.length === 0) throw traceNotFound(query.trace_id);
      void reply
        .type("application/jsonl; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${fileName(query.trace_id, clock.now())}"`)
        .header("Cache-Control", "no-store");
      return await reply.send(Readable.from(lines(kept, keys, connected)));
    },
  );

  /** One trace after the other: what is held is a span. A trace that is evicted meanwhile is left out. */
  async function* lines(kept: TraceStore, keys: readonly TraceKey[], connected: AbortSignal) {
    // Loaded when it is first needed: protobuf is a tenth of the start.
    const { jsonLines } = await import("../otlp/json-lines.js");
    const timeSlice = new TimeSlice(clock, connected);
    for (const key of keys) {
      if (timeSlice.isOver()) await timeSlice.next();
      const trace = await kept.get(key);
      if (trace === undefined) continue;
      try {
        for (let from = 0; from < trace.received.length;) {
          const { spans, to } = await runOf(trace.received, from, timeSlice);
          for (const part of jsonLines(spans, version)) {
            // A reader that is quick enough would have all lines in one turn of the loop.
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

/** The spans that follow as far as each is read at once, when it is asked for; or a large one, which is read in slices. */
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

/** A name that every file system takes. */
function fileName(traceId: string | undefined, nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-");
  const what =
    traceId === undefined ? `traces-${time}` : `trace-${traceId.replace(/[^\w-]+/g, "_").slice(0, 64)}`;
  return `obspan-${what}.otlp.jsonl`;
}
