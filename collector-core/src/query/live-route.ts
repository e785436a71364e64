import type { IncomingHttpHeaders } from "node:http";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { LIVE_EVENT_SCHEMAS, PartialCompletionSchema } from "../api-schema/live.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import { errorResponses } from "./error-schemas.js";
import { createLiveConnection } from "./live-connection.js";
import type { LiveHub } from "./live-hub.js";
import type { LiveReader } from "./live-reader.js";

/** Options of {@link liveRoute}. */
export interface LiveRouteOptions {
  readonly hub: LiveHub;
  /** Whether the key or session of these headers is still valid; called once a second. */
  readonly isAllowed: (headers: IncomingHttpHeaders) => boolean;
  /** The account that unsent events are charged to. */
  readonly budget: ByteAccount;
}

const Query = Type.Object(
  {
    last_event_id: Type.Optional(
      Type.String({ description: "Same as the header Last-Event-ID, for clients that cannot set headers." }),
    ),
    trace_id: Type.Optional(
      Type.String({
        description:
          "Only the texts of this trace's running model calls, as `partial` events: the latest text of each first, then " +
          "each text that replaces it.",
      }),
    ),
    tenant: Type.Optional(
      Type.String({
        description:
          "Only traces and evaluations of this tenant. Default: the tenant header if multi-tenancy is on, else every tenant.",
      }),
    ),
  },
  { additionalProperties: false },
);

/** `GET /v1/live`: server-sent events (contract 3). */
export const liveRoute: FastifyPluginAsyncTypebox<LiveRouteOptions> = async (
  app,
  { hub, isAllowed, budget },
) => {
  app.get(
    "/v1/live",
    {
      exposeHeadRoute: false,
      config: { isOpenEnded: true, makeRoom: () => hub.makeRoom() },
      schema: {
        tags: ["traces"],
        summary: "Live updates",
        description:
          "Server-sent events: `trace` (a new or changed summary), `status` and `metrics` (once a second: the state of the " +
          "collector, and the newest step of `GET /v1/stats`), `evaluation` (one that has ended), `reset` (fetch the shown " +
          "data again). A slow client gets merged updates. With Last-Event-ID the stream resumes with the traces and " +
          "evaluations that the client missed, or with `reset` if there are too many. With `trace_id`, the only events are " +
          "`partial`: the completions of running model calls so far. The stream ends within a second " +
          "after the session that opened it.",
        produces: ["text/event-stream"],
        querystring: Query,
        response: {
          200: Type.Union([...Object.values(LIVE_EVENT_SCHEMAS), PartialCompletionSchema]),
          ...errorResponses("invalid_query", "invalid_tenant", "overloaded"),
        },
      },
    },
    (request, reply) => {
      reply.hijack();
      const response = reply.raw;
      response.writeHead(200, {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        // Stops proxies from buffering events.
        "X-Accel-Buffering": "no",
      });
      const reader: LiveReader = {
        ...createLiveConnection(response, budget),
        isAllowed: () => isAllowed(request.headers),
        tenant: request.query.tenant,
      };
      const header = request.headers["last-event-id"];
      const { trace_id: traceId, last_event_id: parameter } = request.query;
      const disconnect =
        traceId === undefined
          ? hub.connect(reader, typeof header === "string" ? header : parameter)
          : hub.connectTexts(reader, traceId);
      response.once("close", disconnect);
    },
  );
};
