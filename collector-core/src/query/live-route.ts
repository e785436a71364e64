import type { IncomingHttpHeaders } from "node:http";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { LIVE_EVENT_SCHEMAS } from "../api-schema/live.js";
import { errorAnswers } from "./error-schemas.js";
import type { LiveHub } from "./live-hub.js";

/** What {@link liveRoute} needs. */
export interface LiveRouteOptions {
  readonly hub: LiveHub;
  /** Whether who sent these headers may still be here; asked once a second. */
  readonly isAllowed: (headers: IncomingHttpHeaders) => boolean;
}

const Query = Type.Object(
  {
    last_event_id: Type.Optional(
      Type.String({ description: "As the header Last-Event-ID, for clients that cannot set it." }),
    ),
    tenant: Type.Optional(
      Type.String({
        description:
          "Traces and evaluations of one tenant. Default where the collector is multi-tenant: the tenant header, else every tenant.",
      }),
    ),
  },
  { additionalProperties: false },
);

/** `GET /v1/live`: server-sent events (contract 3). */
export const liveRoute: FastifyPluginAsyncTypebox<LiveRouteOptions> = async (app, { hub, isAllowed }) => {
  app.get(
    "/v1/live",
    {
      exposeHeadRoute: false,
      config: { isOpenEnded: true },
      schema: {
        tags: ["traces"],
        summary: "What happens, as it happens",
        description:
          "Server-sent events: `trace` (a summary that is new or changed), `status` and `metrics` (once a second: how the collector " +
          "is, and the newest step of `GET /v1/stats`), `evaluation` (one that has ended), `reset` (fetch again " +
          "what you show). A reader that is slow gets merged updates. Resumes after Last-Event-ID with the traces and evaluations that were missed, or with `reset` where they are too many. It ends within a second of the end of the session that it was opened with.",
        produces: ["text/event-stream"],
        querystring: Query,
        response: {
          200: Type.Union(Object.values(LIVE_EVENT_SCHEMAS)),
          ...errorAnswers("invalid_query", "invalid_tenant"),
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
        // Proxies that gather answers would hold events back.
        "X-Accel-Buffering": "no",
      });
      const header = request.headers["last-event-id"];
      const disconnect = hub.connect(
        {
          write: (text) => void response.write(text),
          isBehind: () => response.writableNeedDrain,
          isAllowed: () => isAllowed(request.headers),
          end: () => response.end(),
          tenant: request.query.tenant,
        },
        typeof header === "string" ? header : request.query.last_event_id,
      );
      response.once("close", disconnect);
    },
  );
};
