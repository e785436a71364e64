import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { TraceFilterSchema } from "../api-schema/trace.js";
import type { TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { continued } from "./continued.js";
import { errorResponses } from "./error-schemas.js";
import { sharedFileName } from "./shared-file-name.js";
import { linesOfTraces } from "./trace-lines.js";
import { requiredStore, traceNotFound, whileAnswering } from "./trace-requests.js";

const TraceParameters = Type.Object(TraceFilterSchema.properties, { additionalProperties: false });

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
        querystring: TraceParameters,
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
      const lines = linesOfTraces(
        traces,
        continued(first, rest),
        version,
        new TimeSlice(clock, connected),
        connected,
      );
      return await reply.send(Readable.from(lines));
    },
  );
};

/** A name that is valid on every file system. */
function fileName(traceId: string | undefined, nowMs: number): string {
  if (traceId !== undefined) return sharedFileName("trace", traceId, "otlp.jsonl");
  return `obspan-traces-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-")}.otlp.jsonl`;
}
