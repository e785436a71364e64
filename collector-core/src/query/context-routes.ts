import type { ServerResponse } from "node:http";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type, { type Static } from "typebox";
import {
  ContextReader,
  OUTLINE_ATTRIBUTES,
  outlineOf,
  type FindModel,
  type SpanOutline,
} from "../analysis/context/index.js";
import { CallContextSchema, type CallContext } from "../api-schema/context.js";
import { ApiError } from "../api-schema/errors.js";
import type { StoredTrace, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { runInSlices } from "../runtime/steps.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { readPartly, readStored } from "../span/stored-span.js";
import { errorResponses } from "./error-schemas.js";
import { findTraceKey } from "./find-trace-key.js";
import { requiredStore, shownId, traceNotFound, whileAnswering } from "./trace-requests.js";

/** Options of {@link contextRoutes}. */
export interface ContextRoutesOptions {
  /** Undefined if `trace_store.enabled` is false: the routes then fail with trace_store_disabled. */
  readonly store: TraceStore | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  /** Loads the price table, which is needed for the first context only. */
  readonly loadModels: () => Promise<FindModel>;
}

/** Contexts that are read at the same time: each keeps some calls with their texts in memory. */
const CONCURRENCY = 1;
/** Bytes of spans that are read for one context: those of the call itself, and of others as long as they fit. */
const MAX_BYTES = 64 * 1024 * 1024;

const Ids = Type.Object({
  trace_id: Type.String({ description: "The id as sent." }),
  span_id: Type.String({ description: "The id as sent." }),
});
const TenantQuery = Type.Object(
  {
    tenant: Type.Optional(Type.String({ description: "Tenant of the trace, as for `GET /v1/traces/{id}`." })),
  },
  { additionalProperties: false },
);
type ContextQuery = Static<typeof Ids> & Static<typeof TenantQuery>;

const SCHEMA = {
  tags: ["traces"],
  summary: "What fills the context window of a model call",
  description:
    "The parts of the request, estimated from its texts and scaled to the reported tokens; the calls of the same agent; why the " +
    "prompt cache was not read; and what the context contains several times.",
  response: {
    200: CallContextSchema,
    ...errorResponses(
      "invalid_query",
      "invalid_tenant",
      "trace_not_found",
      "trace_store_disabled",
      "overloaded",
      "ambiguous_trace",
    ),
  },
};

/** `GET /v1/traces/{trace_id}/context/{span_id}` (contract 9), and the same with the ids in the query. */
export const contextRoutes: FastifyPluginAsyncTypebox<ContextRoutesOptions> = async (
  app,
  { store, clock, loadModels },
) => {
  const limited = createConcurrencyLimit(CONCURRENCY);

  async function read(
    { trace_id: traceId, span_id: spanId, tenant }: ContextQuery,
    response: ServerResponse,
  ): Promise<CallContext> {
    const traces = requiredStore(store);
    const connected = whileAnswering(response);
    const key = await findTraceKey(traces, traceId, tenant, connected);
    return await limited(async () => {
      const trace = await traces.get(key, connected);
      if (trace === undefined) throw traceNotFound(traceId);
      try {
        return await readContext(trace, traceId, spanId, await loadModels(), new TimeSlice(clock, connected));
      } finally {
        trace.release();
      }
    }, connected);
  }

  app.get(
    "/v1/traces/:trace_id/context/:span_id",
    { schema: { ...SCHEMA, params: Ids, querystring: TenantQuery } },
    async ({ params, query }, reply) => await read({ ...params, ...query }, reply.raw),
  );
  app.get(
    "/v1/context",
    {
      schema: {
        ...SCHEMA,
        description:
          "The same, with the ids as query parameters. Required for the ids `.` and `..`: clients resolve these in a path before " +
          "they send it, even percent-encoded.",
        querystring: Type.Object(
          { ...Ids.properties, ...TenantQuery.properties },
          { additionalProperties: false },
        ),
      },
    },
    async ({ query }, reply) => await read(query, reply.raw),
  );
};

/**
 * Reads the spans twice: first without their texts, to find the calls of the agent, then those calls one after the other.
 *
 * @throws `ApiError` trace_not_found, invalid_query.
 */
async function readContext(
  trace: StoredTrace,
  traceId: string,
  spanId: string,
  findModel: FindModel,
  timeSlice: TimeSlice,
): Promise<CallContext> {
  const outlines: SpanOutline[] = [];
  let startTime: string | undefined;
  for await (const page of trace.spans)
    for (const stored of page) {
      if (timeSlice.isOver()) await timeSlice.next();
      const span = await readPartly(stored, OUTLINE_ATTRIBUTES, timeSlice);
      startTime ??= span.start_time;
      outlines.push(outlineOf(span, startTime));
    }
  const wanted = outlines.find(({ id }) => id === spanId);
  if (wanted === undefined)
    throw new ApiError("trace_not_found", `Span ${shownId(spanId)} is not in trace ${shownId(traceId)}.`);
  const reader = await runInSlices(ContextReader.create(outlines, spanId, findModel), timeSlice);
  if (reader === undefined) {
    const why =
      wanted.type === "llm"
        ? "contains several calls of a model: ask for one of them"
        : `has the type ${shownId(wanted.type)}: only a call of a model has a context`;
    const problem = `Span ${shownId(spanId)} ${why}.`;
    throw new ApiError("invalid_query", problem, { key: "span_id" });
  }
  let bytes = 0;
  let index = 0;
  for await (const page of trace.spans)
    for (const stored of page) {
      if (timeSlice.isOver()) await timeSlice.next();
      const id = outlines[index++]?.id;
      if (id === undefined || !reader.needed.has(id)) continue;
      bytes += stored.slice.end - stored.slice.start;
      if (bytes > MAX_BYTES && !reader.isTarget(id)) continue;
      await runInSlices(reader.add(await readStored(stored, timeSlice)), timeSlice);
    }
  return await runInSlices(reader.finish(), timeSlice);
}
