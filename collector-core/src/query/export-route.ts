import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { TraceFilterSchema } from "../api-schema/trace.js";
import type { TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { continued } from "./continued.js";
import { errorResponses } from "./error-schemas.js";
import { tracesOfSessions } from "./session-pages.js";
import { sharedFileName } from "./shared-file-name.js";
import { linesOfTraces } from "./trace-lines.js";
import { requiredStore, traceNotFound, whileAnswering } from "./trace-requests.js";

const ExportParameters = Type.Object(
  {
    ...TraceFilterSchema.properties,
    whole_sessions: Type.Optional(
      Type.Union([Type.Literal("true"), Type.Literal("false")], {
        description:
          "`true`: all traces of the sessions that match, as `GET /v1/sessions` lists them, session by session. `query` may then " +
          "have conditions on sessions.",
      }),
    ),
  },
  { additionalProperties: false },
);

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
        querystring: ExportParameters,
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
    async ({ query: { whole_sessions: whole, ...query } }, reply) => {
      const isWhole = whole === "true";
      const traces = requiredStore(store);
      const connected = whileAnswering(reply.raw);
      const matching = isWhole ? tracesOfSessions(traces, query, connected) : traces.select(query, connected);
      const rest = matching[Symbol.asyncIterator]();
      // Read before the first byte is sent: a query that fails gets an error response.
      const first = await rest.next();
      if (query.trace_id !== undefined && first.done === true) throw traceNotFound(query.trace_id);
      const name =
        query.trace_id === undefined || isWhole
          ? `obspan-${isWhole ? "sessions" : "traces"}-${timeName(clock.now())}.otlp.jsonl`
          : sharedFileName("trace", query.trace_id, "otlp.jsonl");
      void reply
        .type("application/jsonl; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${name}"`)
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

/** A time as it is valid in names on every file system. */
function timeName(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-");
}
