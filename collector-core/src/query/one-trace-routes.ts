import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { Type, type Static } from "typebox";
import { ApiError } from "../api-schema/errors.js";
import { NormalizedSpanSchema, TraceDetailSchema } from "../api-schema/trace.js";
import type { StoredTrace } from "../interfaces.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { eachSpan } from "../span/each-span.js";
import { errorResponses, TRACE_ERRORS } from "./error-schemas.js";
import { findTraceKey } from "./find-trace-key.js";
import { SHORT_TEXT_LIMIT, TEXT_LIMIT } from "./shorten-texts.js";
import { spanBody } from "./span-body.js";
import {
  requiredStore,
  shownId,
  traceNotFound,
  whenClosed,
  whileAnswering,
  withoutTimeLimit,
} from "./trace-requests.js";
import type { TracesRoutesOptions } from "./traces-routes.js";

const TraceIds = Type.Object({ trace_id: Type.String({ description: "The id as sent." }) });
const SpanIds = Type.Object({
  ...TraceIds.properties,
  span_id: Type.String({ description: "The id as sent." }),
});
const TenantQuery = Type.Object(
  {
    tenant: Type.Optional(
      Type.String({
        description:
          "Tenant of the trace. Default: the tenant header if multi-tenancy is on. Without either, an id that several " +
          "tenants have gets 409 ambiguous_trace.",
      }),
    ),
  },
  { additionalProperties: false },
);
const FullQuery = Type.Object(
  {
    ...TenantQuery.properties,
    full: Type.Optional(
      Type.Literal("1", { description: "Return long texts in full; the response is streamed." }),
    ),
    max_spans: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: "Return only the first spans by start; `trace.span_count` has their number.",
      }),
    ),
    max_bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          "After so many bytes of spans, texts of more than 256 bytes are shortened too, without `full`. For clients that need " +
          "all spans of a trace, however long.",
      }),
    ),
  },
  { additionalProperties: false },
);
type Tenant = Static<typeof TenantQuery>;

const ERRORS = errorResponses(...TRACE_ERRORS);
const TAGS = ["traces"];
/** Loosely typed, since these responses are empty or streamed rather than sent as the documented object. */
const DELETED: Record<number, object> = { 204: Type.Null({ description: "Deleted." }) };
const STREAMED: Record<number, object> = { 200: TraceDetailSchema };
const WRITTEN: Record<number, object> = { 200: NormalizedSpanSchema };
/** Deletions under way. One goes on when its client leaves, so that the number of connections does not bound them. */
const MAX_DELETIONS = 1000;
const BY_QUERY =
  "The same, with the ids as query parameters. Required for the ids `.` and `..`: clients resolve these in a path before " +
  "they send it, even percent-encoded.";

/**
 * One trace, and one span of it: `GET` and `DELETE /v1/traces/{trace_id}`, `GET /v1/traces/{trace_id}/spans/{span_id}` (spec 4.4,
 * contract 3). Each has a variant with its ids in the query, which can carry any id.
 */
export const oneTraceRoutes: FastifyPluginAsyncTypebox<TracesRoutesOptions> = async (
  app,
  { store, clock, onDeleted },
) => {
  const readTrace = {
    schema: { tags: TAGS, summary: "One trace with its spans", response: { ...STREAMED, ...ERRORS } },
    async read(traceId: string, query: Static<typeof FullQuery>, response: ServerResponse) {
      const { tenant } = query;
      const traces = requiredStore(store);
      const connected = whileAnswering(response);
      const key = await findTraceKey(traces, traceId, tenant, connected);
      const trace = await traces.get(key, connected);
      if (trace === undefined) throw traceNotFound(traceId);
      whenClosed(response, () => trace.release());
      return Readable.from(traceJson(trace, query, new TimeSlice(clock, connected)));
    },
  };
  const readSpan = {
    schema: { tags: TAGS, summary: "One span in full", response: { ...WRITTEN, ...ERRORS } },
    async read(
      { trace_id: traceId, span_id: spanId }: Static<typeof SpanIds>,
      { tenant }: Tenant,
      response: ServerResponse,
    ) {
      const traces = requiredStore(store);
      const connected = whileAnswering(response);
      const key = await findTraceKey(traces, traceId, tenant, connected);
      const span = await traces.getSpan(key, spanId, connected);
      if (span === undefined)
        throw new ApiError("trace_not_found", `Span ${shownId(spanId)} is not in trace ${shownId(traceId)}.`);
      whenClosed(response, () => span.release());
      const json = spanBody(span, undefined, new TimeSlice(clock, connected));
      return typeof json === "string" ? json : Readable.from(json);
    },
  };
  let deletions = 0;
  const deleteTrace = {
    schema: { tags: TAGS, summary: "Delete one trace", response: { ...DELETED, ...ERRORS } },
    async run(traceId: string, { tenant }: Tenant, request: FastifyRequest, response: ServerResponse) {
      const traces = requiredStore(store);
      if (deletions === MAX_DELETIONS) throw tooManyDeletions();
      deletions++;
      try {
        const signal = withoutTimeLimit(request, response);
        const key = await findTraceKey(traces, traceId, tenant, signal);
        if (!(await traces.remove(key))) throw traceNotFound(traceId);
        onDeleted(key);
      } finally {
        deletions--;
      }
    },
  };
  const JSON_TYPE = "application/json; charset=utf-8";
  const withIds = <Ids extends Type.TProperties, Query extends Type.TProperties>(ids: Ids, query: Query) =>
    Type.Object({ ...ids, ...query }, { additionalProperties: false });

  app.get(
    "/v1/traces/:trace_id",
    { schema: { ...readTrace.schema, params: TraceIds, querystring: FullQuery } },
    async ({ params, query }, reply) => {
      const body = await readTrace.read(params.trace_id, query, reply.raw);
      return await reply.type(JSON_TYPE).send(body);
    },
  );
  app.get(
    "/v1/trace",
    {
      schema: {
        ...readTrace.schema,
        description: BY_QUERY,
        querystring: withIds(TraceIds.properties, FullQuery.properties),
      },
    },
    async ({ query }, reply) => {
      const body = await readTrace.read(query.trace_id, query, reply.raw);
      return await reply.type(JSON_TYPE).send(body);
    },
  );

  app.get(
    "/v1/traces/:trace_id/spans/:span_id",
    { schema: { ...readSpan.schema, params: SpanIds, querystring: TenantQuery } },
    async ({ params, query }, reply) => {
      const body = await readSpan.read(params, query, reply.raw);
      return await reply.type(JSON_TYPE).send(body);
    },
  );
  app.get(
    "/v1/span",
    {
      schema: {
        ...readSpan.schema,
        description: BY_QUERY,
        querystring: withIds(SpanIds.properties, TenantQuery.properties),
      },
    },
    async ({ query }, reply) => {
      const body = await readSpan.read(query, query, reply.raw);
      return await reply.type(JSON_TYPE).send(body);
    },
  );

  app.delete(
    "/v1/traces/:trace_id",
    { schema: { ...deleteTrace.schema, params: TraceIds, querystring: TenantQuery } },
    async (request, reply) => {
      const { params, query } = request;
      await deleteTrace.run(params.trace_id, query, request, reply.raw);
      return await reply.code(204).send();
    },
  );
  app.delete(
    "/v1/trace",
    {
      schema: {
        ...deleteTrace.schema,
        description: BY_QUERY,
        querystring: withIds(TraceIds.properties, TenantQuery.properties),
      },
    },
    async (request, reply) => {
      const { query } = request;
      await deleteTrace.run(query.trace_id, query, request, reply.raw);
      return await reply.code(204).send();
    },
  );
};

function tooManyDeletions(): ApiError {
  return new ApiError(
    "overloaded",
    `${MAX_DELETIONS} deletions of traces are under way, which is the limit. Try again later.`,
    { limit: MAX_DELETIONS },
    { "Retry-After": "2" },
  );
}

/** Characters of spans that are written at once: each write to a connection costs as much as a few spans. */
const WRITE_LENGTH = 32 * 1024;

/** Writes a trace in parts, so that a trace of many long spans is never one string in memory. */
async function* traceJson(
  trace: StoredTrace,
  {
    full,
    max_spans: maxSpans = Number.POSITIVE_INFINITY,
    max_bytes: maxBytes = Number.POSITIVE_INFINITY,
  }: Static<typeof FullQuery>,
  timeSlice: TimeSlice,
): AsyncGenerator<string | Buffer> {
  let left = maxSpans;
  let bytes = 0;
  // Not sent before the first page is read: a store that does not answer gets an error response.
  let unsent = `{"trace":${JSON.stringify(trace.summary)},"spans":[`;
  let separator = "";
  for await (const span of eachSpan(trace.spans, timeSlice)) {
    const limit = bytes < maxBytes ? TEXT_LIMIT : SHORT_TEXT_LIMIT;
    const json = spanBody(span, full === "1" ? undefined : limit, timeSlice);
    unsent += separator;
    separator = ",";
    if (typeof json === "string") {
      bytes += json.length;
      unsent += json;
      if (unsent.length >= WRITE_LENGTH) {
        yield unsent;
        unsent = "";
      }
    } else {
      yield unsent;
      unsent = "";
      for await (const part of json) {
        bytes += part.length;
        yield part;
      }
    }
    if (--left <= 0) break;
  }
  yield `${unsent}]}`;
}
