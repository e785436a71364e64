import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { CallContextSchema } from "../api-schema/context.js";
import { errorResponses, TRACE_ERRORS } from "./error-schemas.js";
import type { ReadContext } from "./read-context.js";
import { whileAnswering } from "./trace-requests.js";

/** Options of {@link contextRoutes}. */
export interface ContextRoutesOptions {
  readonly read: ReadContext;
}

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

const SCHEMA = {
  tags: ["traces"],
  summary: "What fills the context window of a model call",
  description:
    "The parts of the request, estimated from its texts and scaled to the reported tokens; the calls of the same agent; why the " +
    "prompt cache was not read; and what the context contains several times.",
  response: {
    200: CallContextSchema,
    ...errorResponses(...TRACE_ERRORS),
  },
};

/** `GET /v1/traces/{trace_id}/context/{span_id}` (contract 9), and the same with the ids in the query. */
export const contextRoutes: FastifyPluginAsyncTypebox<ContextRoutesOptions> = async (app, { read }) => {
  app.get(
    "/v1/traces/:trace_id/context/:span_id",
    { schema: { ...SCHEMA, params: Ids, querystring: TenantQuery } },
    async ({ params, query }, reply) => await read({ ...params, ...query }, whileAnswering(reply.raw)),
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
    async ({ query }, reply) => await read(query, whileAnswering(reply.raw)),
  );
};
