import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { GroupsQuerySchema, TraceGroupsSchema } from "../api-schema/groups.js";
import {
  FacetsSchema,
  FacetsQuerySchema,
  HistogramQuerySchema,
  HistogramSchema,
  TraceListSchema,
  TraceQuerySchema,
} from "../api-schema/trace.js";
import type { DeletedTraces, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { errorResponses, LIST_ERRORS } from "./error-schemas.js";
import { allowSilence, requiredStore, whileAnswering } from "./trace-requests.js";

const TraceParameters = Type.Object(TraceQuerySchema.properties, { additionalProperties: false });
const FacetsParameters = Type.Object(FacetsQuerySchema.properties, { additionalProperties: false });
const HistogramParameters = Type.Object(HistogramQuerySchema.properties, { additionalProperties: false });
const GroupsParameters = Type.Object(GroupsQuerySchema.properties, { additionalProperties: false });

/** Options of {@link tracesRoutes}. */
export interface TracesRoutesOptions {
  /** Undefined if `trace_store.enabled` is false: every route then fails with trace_store_disabled. */
  readonly store: TraceStore | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called with what was deleted. */
  readonly onDeleted: (deleted: DeletedTraces) => void;
}

const ClearQuery = Type.Object(
  {
    tenant: Type.Optional(
      Type.String({
        description:
          "Tenant whose traces are deleted. Default: the tenant header if multi-tenancy is on, else every tenant.",
      }),
    ),
  },
  { additionalProperties: false },
);
const TAGS = ["traces"];
/** Loosely typed, since the response is empty rather than the documented null. */
const DELETED: Record<number, object> = { 204: Type.Null({ description: "Deleted." }) };

/** `GET` and `DELETE /v1/traces`, `GET /v1/facets`, `GET /v1/histogram`, `GET /v1/groups` (spec 4.3, contract 3). */
export const tracesRoutes: FastifyPluginAsyncTypebox<TracesRoutesOptions> = async (
  app,
  { store, clock, onDeleted },
) => {
  app.get(
    "/v1/traces",
    {
      schema: {
        tags: TAGS,
        summary: "Recent traces",
        querystring: TraceParameters,
        response: {
          200: TraceListSchema,
          ...errorResponses(...LIST_ERRORS),
        },
      },
    },
    async ({ query }, reply) => {
      const page = await requiredStore(store).list(query, whileAnswering(reply.raw));
      return { traces: [...page.traces], next_cursor: page.nextCursor };
    },
  );

  app.get(
    "/v1/facets",
    {
      schema: {
        tags: TAGS,
        summary: "Number of traces per value",
        querystring: FacetsParameters,
        response: {
          200: FacetsSchema,
          ...errorResponses("invalid_query", "invalid_tenant", "trace_store_disabled", "overloaded"),
        },
      },
    },
    async ({ query }, reply) => await requiredStore(store).facets(query, whileAnswering(reply.raw)),
  );

  app.get(
    "/v1/histogram",
    {
      schema: {
        tags: TAGS,
        summary: "Number of traces over time",
        querystring: HistogramParameters,
        response: {
          200: HistogramSchema,
          ...errorResponses("invalid_query", "invalid_tenant", "trace_store_disabled", "overloaded"),
        },
      },
    },
    async ({ query }, reply) => await requiredStore(store).histogram(query, whileAnswering(reply.raw)),
  );

  app.get(
    "/v1/groups",
    {
      schema: {
        tags: TAGS,
        summary: "Figures of traces by value",
        description:
          "The traces that match the filters, in groups by one of their values: runs, errors, durations, tokens, cost, scores.",
        querystring: GroupsParameters,
        response: {
          200: TraceGroupsSchema,
          ...errorResponses("invalid_query", "invalid_tenant", "trace_store_disabled", "overloaded"),
        },
      },
    },
    async ({ query }, reply) => await requiredStore(store).groups(query, whileAnswering(reply.raw)),
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
          ...errorResponses("invalid_query", "invalid_tenant", "trace_store_disabled", "overloaded"),
        },
      },
    },
    async (request, reply) => {
      const { tenant } = request.query;
      allowSilence(request);
      if (tenant === undefined) await requiredStore(store).clear();
      else await removeTenant(requiredStore(store), tenant, new TimeSlice(clock));
      onDeleted({ tenant });
      return await reply.code(204).send();
    },
  );
};

async function removeTenant(store: TraceStore, tenant: string, timeSlice: TimeSlice): Promise<void> {
  if (store.removeTenant !== undefined) {
    await store.removeTenant(tenant);
    return;
  }
  for await (const keys of store.select({ tenant })) {
    if (timeSlice.isOver()) await timeSlice.next();
    // A store on disk removes the traces of a page together.
    await Promise.all(keys.map((key) => store.remove(key)));
  }
}
