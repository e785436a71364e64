import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type, { type Static } from "typebox";
import { ApiError } from "../api-schema/errors.js";
import { NormalizedSpanSchema, TraceDetailSchema } from "../api-schema/trace.js";
import type { StoredTrace, TraceStore } from "../interfaces.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { errorAnswers } from "./error-schemas.js";
import { findTraceKey } from "./find-trace-key.js";
import { spanAnswer, type SpanShape } from "./span-answer.js";
import { requiredStore, shownId, traceNotFound, whenClosed, whileConnected } from "./trace-requests.js";
import type { TracesRoutesOptions } from "./traces-routes.js";

const TraceIds = Type.Object({ trace_id: Type.String({ description: "As sent." }) });
const SpanIds = Type.Object({ ...TraceIds.properties, span_id: Type.String({ description: "As sent." }) });
const TenantQuery = Type.Object(
  {
    tenant: Type.Optional(
      Type.String({
        description:
          "Whose trace. Default where the collector is multi-tenant: the tenant header. Without either, an id that several " +
          "tenants have is 409 ambiguous_trace.",
      }),
    ),
  },
  { additionalProperties: false },
);
const FullQuery = Type.Object(
  {
    ...TenantQuery.properties,
    full: Type.Optional(Type.Literal("1", { description: "Give long texts whole; the answer is streamed." })),
  },
  { additionalProperties: false },
);
type Tenant = Static<typeof TenantQuery>;

const ERRORS = errorAnswers(
  "invalid_query",
  "invalid_tenant",
  "trace_not_found",
  "trace_store_disabled",
  "overloaded",
  "ambiguous_trace",
);
const TAGS = ["traces"];
/** Typed loosely: an answer that is streamed, or empty, is not sent as the object that it is documented as. */
const DELETED: Record<number, object> = { 204: Type.Null({ description: "Deleted." }) };
const STREAMED: Record<number, object> = { 200: TraceDetailSchema };
const WRITTEN: Record<number, object> = { 200: NormalizedSpanSchema };
const BY_QUERY =
  "The same with the ids as parameters. The only way to an id that is `.` or `..`: in a path, clients resolve these before " +
  "they send them, percent-encoded too.";

/**
 * One trace, and one span of it: `GET` and `DELETE /v1/traces/{trace_id}`, `GET /v1/traces/{trace_id}/spans/{span_id}` (spec 4.4,
 * contract 3). Each has a twin that takes its ids as parameters of the query, which can carry any id.
 */
export const oneTraceRoutes: FastifyPluginAsyncTypebox<TracesRoutesOptions> = async (
  app,
  { store, clock, onCleared },
) => {
  const readTrace = {
    schema: { tags: TAGS, summary: "One trace with its spans", response: { ...STREAMED, ...ERRORS } },
    async answer(traceId: string, { tenant, full }: Static<typeof FullQuery>, response: ServerResponse) {
      const kept = requiredStore(store);
      const trace = await kept.get(await findTraceKey(kept, traceId, tenant));
      if (trace === undefined) throw traceNotFound(traceId);
      whenClosed(response, () => trace.release());
      const shape = full === "1" ? "whole" : "previews";
      return Readable.from(traceJson(trace, shape, new TimeSlice(clock, whileConnected(response))));
    },
  };
  const readSpan = {
    schema: { tags: TAGS, summary: "One span, whole", response: { ...WRITTEN, ...ERRORS } },
    async answer(
      { trace_id: traceId, span_id: spanId }: Static<typeof SpanIds>,
      { tenant }: Tenant,
      response: ServerResponse,
    ) {
      const kept: TraceStore = requiredStore(store);
      const span = await kept.getSpan(await findTraceKey(kept, traceId, tenant), spanId);
      if (span === undefined)
        throw new ApiError(
          "trace_not_found",
          `There is no span ${shownId(spanId)} in trace ${shownId(traceId)}.`,
        );
      whenClosed(response, () => span.release());
      const answer = spanAnswer(span, "whole", new TimeSlice(clock, whileConnected(response)));
      return typeof answer === "string" ? answer : Readable.from(answer);
    },
  };
  const deleteTrace = {
    schema: { tags: TAGS, summary: "Delete one trace", response: { ...DELETED, ...ERRORS } },
    async run(traceId: string, { tenant }: Tenant): Promise<void> {
      const key = await findTraceKey(requiredStore(store), traceId, tenant);
      if (!(await requiredStore(store).remove(key))) throw traceNotFound(traceId);
      onCleared((each) => each.tenant === key.tenant && each.traceId === key.traceId);
    },
  };
  const JSON_TYPE = "application/json; charset=utf-8";
  const withIds = <Ids extends Type.TProperties, Query extends Type.TProperties>(ids: Ids, query: Query) =>
    Type.Object({ ...ids, ...query }, { additionalProperties: false });

  app.get(
    "/v1/traces/:trace_id",
    { schema: { ...readTrace.schema, params: TraceIds, querystring: FullQuery } },
    async ({ params, query }, reply) => {
      const body = await readTrace.answer(params.trace_id, query, reply.raw);
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
      const body = await readTrace.answer(query.trace_id, query, reply.raw);
      return await reply.type(JSON_TYPE).send(body);
    },
  );

  app.get(
    "/v1/traces/:trace_id/spans/:span_id",
    { schema: { ...readSpan.schema, params: SpanIds, querystring: TenantQuery } },
    async ({ params, query }, reply) => {
      const body = await readSpan.answer(params, query, reply.raw);
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
      const body = await readSpan.answer(query, query, reply.raw);
      return await reply.type(JSON_TYPE).send(body);
    },
  );

  app.delete(
    "/v1/traces/:trace_id",
    { schema: { ...deleteTrace.schema, params: TraceIds, querystring: TenantQuery } },
    async ({ params, query }, reply) => {
      await deleteTrace.run(params.trace_id, query);
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
    async ({ query }, reply) => {
      await deleteTrace.run(query.trace_id, query);
      return await reply.code(204).send();
    },
  );
};

/** Writes a trace span by span: one of hundreds of long spans is never one string in memory. */
async function* traceJson(
  trace: StoredTrace,
  shape: SpanShape,
  timeSlice: TimeSlice,
): AsyncGenerator<string | Buffer> {
  yield `{"trace":${JSON.stringify(trace.summary)},"spans":[`;
  let separator = "";
  for (const span of trace.spans) {
    if (timeSlice.isOver()) await timeSlice.next();
    const answer = spanAnswer(span, shape, timeSlice);
    if (typeof answer === "string") yield separator + answer;
    else {
      if (separator !== "") yield separator;
      yield* answer;
    }
    separator = ",";
  }
  yield "]}";
}
