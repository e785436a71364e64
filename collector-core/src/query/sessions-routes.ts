import type { ServerResponse } from "node:http";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type, type Static } from "typebox";
import { ApiError } from "../api-schema/errors.js";
import {
  SessionDetailSchema,
  SessionListSchema,
  SessionQuerySchema,
  SessionTracesQuerySchema,
  type SessionDetail,
} from "../api-schema/sessions.js";
import type { TraceStore } from "../interfaces.js";
import { errorResponses, LIST_ERRORS } from "./error-schemas.js";
import { findSessionKey } from "./find-trace-key.js";
import { requiredStore, shownId, whileAnswering } from "./trace-requests.js";
import { withWorstScores, type ScoreScale } from "./worst-scores.js";

const SessionParameters = Type.Object(SessionQuerySchema.properties, { additionalProperties: false });

/** Options of {@link sessionsRoutes}. */
export interface SessionsRoutesOptions {
  /** Undefined if `trace_store.enabled` is false: every route then fails with trace_store_disabled. */
  readonly store: TraceStore | undefined;
  readonly scores: ScoreScale;
}

const TAGS = ["traces"];
const SessionId = Type.Object({ session_id: Type.String({ description: "The id as sent." }) });
const TracesQuery = Type.Object(
  {
    tenant: Type.Optional(
      Type.String({
        description:
          "Tenant of the session. Default: the tenant header if multi-tenancy is on. Without either, an id that several " +
          "tenants have gets 409 ambiguous_session.",
      }),
    ),
    ...SessionTracesQuerySchema.properties,
  },
  { additionalProperties: false },
);
const ERRORS = errorResponses(
  "invalid_limit",
  "invalid_query",
  "invalid_tenant",
  "session_not_found",
  "trace_store_disabled",
  "overloaded",
  "ambiguous_session",
);

/** `GET /v1/sessions` and `GET /v1/sessions/{session_id}` (contract 9). */
export const sessionsRoutes: FastifyPluginAsyncTypebox<SessionsRoutesOptions> = async (
  app,
  { store, scores },
) => {
  app.get(
    "/v1/sessions",
    {
      schema: {
        tags: TAGS,
        summary: "Recent sessions",
        description: "The sessions that have a trace which matches the filters.",
        querystring: SessionParameters,
        response: {
          200: SessionListSchema,
          ...errorResponses(...LIST_ERRORS),
        },
      },
    },
    async ({ query }, reply) => {
      const page = await requiredStore(store).sessions(query, whileAnswering(reply.raw));
      return {
        sessions: page.sessions.map((session) => withWorstScores(session, scores)),
        next_cursor: page.nextCursor,
      };
    },
  );

  const readSession = async (
    sessionId: string,
    { tenant, ...query }: Static<typeof TracesQuery>,
    response: ServerResponse,
  ): Promise<SessionDetail> => {
    const traceStore = requiredStore(store);
    const connected = whileAnswering(response);
    const key = await findSessionKey(traceStore, sessionId, tenant, connected);
    const found = await traceStore.session(key, query, connected);
    if (found === undefined) throw sessionNotFound(sessionId);
    return {
      session: withWorstScores(found.session, scores),
      traces: [...found.traces],
      next_cursor: found.nextCursor,
    };
  };
  const schema = {
    tags: TAGS,
    summary: "One session with its traces",
    response: { 200: SessionDetailSchema, ...ERRORS },
  };

  app.get(
    "/v1/sessions/:session_id",
    { schema: { ...schema, params: SessionId, querystring: TracesQuery } },
    async ({ params, query }, reply) => await readSession(params.session_id, query, reply.raw),
  );
  app.get(
    "/v1/session-traces",
    {
      schema: {
        ...schema,
        description:
          "The same, with the id as a query parameter. Required for the ids `.` and `..`: clients resolve these in a path " +
          "before they send it, even percent-encoded.",
        querystring: Type.Object(
          { ...SessionId.properties, ...TracesQuery.properties },
          { additionalProperties: false },
        ),
      },
    },
    async ({ query: { session_id: sessionId, ...query } }, reply) =>
      await readSession(sessionId, query, reply.raw),
  );
};

export function sessionNotFound(sessionId: string): ApiError {
  return new ApiError(
    "session_not_found",
    `No trace in the store is of session ${shownId(sessionId)}: none was received with this session_id, or all were evicted.`,
  );
}
