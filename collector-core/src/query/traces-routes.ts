import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { ApiError } from "../contract/errors.js";
import {
  FacetsSchema,
  HistogramQuerySchema,
  HistogramSchema,
  NormalizedSpanSchema,
  TraceDetailSchema,
  TraceFilterSchema,
  TraceListSchema,
  TraceQuerySchema,
  type NormalizedSpan,
} from "../contract/trace.js";
import type { Clock, StoredTrace, TraceKey, TraceStore } from "../interfaces.js";
import { TimeSlice } from "../time-slice.js";
import { errorAnswers } from "./error-schemas.js";
import { findTraceKey } from "./find-trace-key.js";
import { shortenTexts } from "./shorten-texts.js";
import { requiredStore, shownId, traceNotFound, whenClosed, whileConnected } from "./trace-requests.js";

/** What {@link tracesRoutes} needs. */
export interface TracesRoutesOptions {
  /** Undefined where `trace_store.enabled` is false: every route answers trace_store_disabled. */
  readonly store: TraceStore | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  /** Told which traces were deleted. */
  readonly onCleared: (isDeleted: (key: TraceKey) => boolean) => void;
}

const TraceParams = Type.Object({ trace_id: Type.String({ description: "As sent." }) });
const SpanParams = Type.Object({ ...TraceParams.properties, span_id: Type.String() });
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
const ClearQuery = Type.Object(
  {
    tenant: Type.Optional(
      Type.String({
        description:
          "Whose traces. Default where the collector is multi-tenant: the tenant header, else every tenant.",
      }),
    ),
  },
  { additionalProperties: false },
);
const Full = Type.Object(
  {
    ...TenantQuery.properties,
    full: Type.Optional(Type.Literal("1", { description: "Give long texts whole; the answer is streamed." })),
  },
  { additionalProperties: false },
);
const ONE_TRACE_ERRORS = [
  "invalid_query",
  "invalid_tenant",
  "trace_not_found",
  "trace_store_disabled",
  "ambiguous_trace",
] as const;
const TAGS = ["traces"];
/** Typed loosely: an answer that is streamed, or empty, is not sent as the object that it is documented as. */
const DELETED: Record<number, object> = { 204: Type.Null({ description: "Deleted." }) };
const STREAMED: Record<number, object> = { 200: TraceDetailSchema };

/** `GET` and `DELETE /v1/traces…`, `GET /v1/facets`, `GET /v1/histogram` (spec 4.3, 4.4, contract 3). */
export const tracesRoutes: FastifyPluginAsyncTypebox<TracesRoutesOptions> = async (
  app,
  { store, clock, onCleared },
) => {
  app.get(
    "/v1/traces",
    {
      schema: {
        tags: TAGS,
        summary: "Recent traces, newest first or in another order",
        querystring: Type.Object(TraceQuerySchema.properties, { additionalProperties: false }),
        response: {
          200: TraceListSchema,
          ...errorAnswers("invalid_limit", "invalid_query", "invalid_tenant", "trace_store_disabled"),
        },
      },
    },
    async ({ query }, reply) => {
      const page = await requiredStore(store).list(query, whileConnected(reply.raw));
      return { traces: [...page.traces], next_cursor: page.nextCursor };
    },
  );

  app.get(
    "/v1/facets",
    {
      schema: {
        tags: TAGS,
        summary: "How many traces have which value",
        querystring: Type.Object(TraceFilterSchema.properties, { additionalProperties: false }),
        response: {
          200: FacetsSchema,
          ...errorAnswers("invalid_query", "invalid_tenant", "trace_store_disabled"),
        },
      },
    },
    async ({ query }, reply) => await requiredStore(store).facets(query, whileConnected(reply.raw)),
  );

  app.get(
    "/v1/histogram",
    {
      schema: {
        tags: TAGS,
        summary: "When traces started",
        querystring: Type.Object(HistogramQuerySchema.properties, { additionalProperties: false }),
        response: {
          200: HistogramSchema,
          ...errorAnswers("invalid_query", "invalid_tenant", "trace_store_disabled"),
        },
      },
    },
    async ({ query }, reply) => await requiredStore(store).histogram(query, whileConnected(reply.raw)),
  );

  app.get(
    "/v1/traces/:trace_id",
    {
      schema: {
        tags: TAGS,
        summary: "One trace with its spans",
        params: TraceParams,
        querystring: Full,
        response: {
          ...STREAMED,
          ...errorAnswers(...ONE_TRACE_ERRORS),
        },
      },
    },
    async ({ params, query }, reply) => {
      const trace = await requiredStore(store).get(
        await findTraceKey(requiredStore(store), params.trace_id, query.tenant),
      );
      if (trace === undefined) throw traceNotFound(params.trace_id);
      whenClosed(reply.raw, () => trace.release());
      void reply.type("application/json; charset=utf-8");
      const shape = query.full === "1" ? (span: NormalizedSpan) => span : shortenTexts;
      return await reply.send(
        Readable.from(traceJson(trace, shape, new TimeSlice(clock, whileConnected(reply.raw)))),
      );
    },
  );

  app.get(
    "/v1/traces/:trace_id/spans/:span_id",
    {
      schema: {
        tags: TAGS,
        summary: "One span, whole",
        params: SpanParams,
        querystring: TenantQuery,
        response: {
          200: NormalizedSpanSchema,
          ...errorAnswers(...ONE_TRACE_ERRORS),
        },
      },
    },
    async ({ params, query }) => {
      const key = await findTraceKey(requiredStore(store), params.trace_id, query.tenant);
      const span = await requiredStore(store).getSpan(key, params.span_id);
      if (span !== undefined) return span;
      throw new ApiError(
        "trace_not_found",
        `There is no span ${shownId(params.span_id)} in trace ${shownId(params.trace_id)}.`,
      );
    },
  );

  app.delete(
    "/v1/traces",
    {
      schema: {
        tags: TAGS,
        summary: "Delete all traces",
        querystring: ClearQuery,
        response: {
          ...DELETED,
          ...errorAnswers("invalid_query", "invalid_tenant", "trace_store_disabled"),
        },
      },
    },
    async ({ query: { tenant } }, reply) => {
      if (tenant === undefined) await requiredStore(store).clear();
      else await removeTenant(requiredStore(store), tenant, new TimeSlice(clock));
      onCleared((key) => tenant === undefined || key.tenant === tenant);
      return await reply.code(204).send();
    },
  );

  app.delete(
    "/v1/traces/:trace_id",
    {
      schema: {
        tags: TAGS,
        summary: "Delete one trace",
        params: TraceParams,
        querystring: TenantQuery,
        response: { ...DELETED, ...errorAnswers(...ONE_TRACE_ERRORS) },
      },
    },
    async ({ params, query }, reply) => {
      const key = await findTraceKey(requiredStore(store), params.trace_id, query.tenant);
      if (!(await requiredStore(store).remove(key))) throw traceNotFound(params.trace_id);
      onCleared(({ tenant, traceId }) => tenant === key.tenant && traceId === key.traceId);
      return await reply.code(204).send();
    },
  );
};

async function removeTenant(store: TraceStore, tenant: string, timeSlice: TimeSlice): Promise<void> {
  for (const key of await store.select({ tenant })) {
    if (timeSlice.isOver()) await timeSlice.next();
    await store.remove(key);
  }
}

/** Writes a trace span by span: one of hundreds of long spans is never one string in memory. */
async function* traceJson(
  trace: StoredTrace,
  shape: (span: NormalizedSpan) => unknown,
  timeSlice: TimeSlice,
): AsyncGenerator<string> {
  yield `{"trace":${JSON.stringify(trace.summary)},"spans":[`;
  let separator = "";
  for (const span of trace.spans) {
    if (timeSlice.isOver()) await timeSlice.next();
    yield separator + JSON.stringify(shape(span));
    separator = ",";
  }
  yield "]}";
}
