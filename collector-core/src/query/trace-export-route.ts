import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import { Type, type Static } from "typebox";
import { readSpansInSteps } from "../analysis/run.js";
import { transcriptInSteps } from "../analysis/transcript/transcript.js";
import type { StoredTrace, TraceKey, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { runInSlices } from "../runtime/steps.js";
import { TimeSlice } from "../runtime/time-slice.js";
import {
  readSharedTrace,
  type FileContent,
  type SharedTrace,
  type SharedTraceRedactor,
} from "../share/shared-trace.js";
import { continued } from "./continued.js";
import { errorResponses, TRACE_ERRORS } from "./error-schemas.js";
import { findTraceKey } from "./find-trace-key.js";
import { joinInSlices, sendSharedFile, SHARED_FILE, shareQuery } from "./share-route.js";
import type { SharedFiles } from "./shared-files.js";
import { traceLines } from "./trace-lines.js";
import { requiredStore, traceNotFound, whenClosed, whileAnswering } from "./trace-requests.js";

/** Options of {@link traceExportRoute}. */
export interface TraceExportRouteOptions {
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  /** Version of the collector, written to the file. */
  readonly version: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly files: SharedFiles;
}

const TraceId = { trace_id: Type.String({ description: "The id as sent." }) };
const ExportQuery = shareQuery(
  {
    jsonl: "OTLP-JSON lines, as received, for `POST /v1/import`.",
    markdown: "for a coding agent.",
    html: "one file that a browser opens without a network.",
  },
  "Tenant of the trace, as for `GET /v1/traces/{trace_id}`.",
);
const Query = Type.Object(ExportQuery, { additionalProperties: false });
const ERRORS = errorResponses(...TRACE_ERRORS);

/** `GET /v1/traces/{trace_id}/export`, and the same with the id in the query: one trace as a file to share (contract 9). */
export const traceExportRoute: FastifyPluginAsyncTypebox<TraceExportRouteOptions> = async (
  app,
  { store, version, clock, files },
) => {
  const schema = {
    ...SHARED_FILE,
    summary: "One trace as a file to share",
    response: { ...SHARED_FILE.response, ...ERRORS },
  };

  async function send(
    traceId: string,
    { format = "jsonl", raw, tenant }: Static<typeof Query>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const traces = requiredStore(store);
    const connected = whileAnswering(reply.raw);
    const key = await findTraceKey(traces, traceId, tenant, connected);
    const redactor = format === "jsonl" || raw === "true" ? undefined : await files.redactor();
    const body =
      format === "jsonl"
        ? await lines(traces, key, reply.raw, connected)
        : await files.inTurn(() => document(traces, key, { format, redactor }, connected), connected);
    return await sendSharedFile(reply, { what: "trace", id: traceId, format, redactor }, body);
  }

  async function lines(
    traces: TraceStore,
    key: TraceKey,
    response: ServerResponse,
    connected: AbortSignal,
  ): Promise<Readable> {
    const trace = await requiredTrace(traces, key, connected);
    whenClosed(response, () => trace.release());
    const rest = traceLines(trace, version, new TimeSlice(clock, connected));
    // Read before the headers are set: what fails gets an error response.
    return Readable.from(continued(await rest.next(), rest));
  }

  /** Lays out a trace, in slices. The file is as large as what it is made of may be, so that it is sent as a whole. */
  async function document(
    traces: TraceStore,
    key: TraceKey,
    {
      format,
      redactor,
    }: { readonly format: "markdown" | "html"; readonly redactor: SharedTraceRedactor | undefined },
    connected: AbortSignal,
  ): Promise<Buffer> {
    const trace = await requiredTrace(traces, key, connected);
    const timeSlice = new TimeSlice(clock, connected);
    let shared: SharedTrace;
    try {
      shared = await readSharedTrace(trace, { redactor, timeSlice });
    } finally {
      trace.release();
    }
    const run = await runInSlices(readSpansInSteps(shared.spans), timeSlice);
    const transcript = await runInSlices(transcriptInSteps(run), timeSlice);
    return await joinInSlices(await layOut({ shared, run, transcript }, format), timeSlice);
  }

  app.get(
    "/v1/traces/:trace_id/export",
    { schema: { ...schema, params: Type.Object(TraceId), querystring: Query } },
    async ({ params, query }, reply) => await send(params.trace_id, query, reply),
  );
  app.get(
    "/v1/trace-export",
    {
      schema: {
        ...schema,
        description: "The same, with the id as a query parameter. Required for the ids `.` and `..`.",
        querystring: Type.Object({ ...TraceId, ...ExportQuery }, { additionalProperties: false }),
      },
    },
    async ({ query }, reply) => await send(query.trace_id, query, reply),
  );
};

/** Opens a trace. The caller must release it. */
async function requiredTrace(traces: TraceStore, key: TraceKey, signal: AbortSignal): Promise<StoredTrace> {
  const trace = await traces.get(key, signal);
  if (trace === undefined) throw traceNotFound(key.traceId);
  return trace;
}

/** Loaded on first use, like everything that few requests need. */
async function layOut(content: FileContent, format: "markdown" | "html"): Promise<Iterable<string>> {
  if (format === "markdown") return (await import("../share/trace-markdown.js")).traceMarkdown(content);
  return (await import("../share/html/trace-html.js")).traceHtml(content);
}
