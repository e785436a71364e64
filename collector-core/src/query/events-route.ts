import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { EventsSchema, type Events } from "../api-schema/events.js";
import { errorResponses } from "./error-schemas.js";

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

/** Options of {@link eventsRoute}. */
export interface EventsRouteOptions {
  readonly read: () => Events;
}

/** `GET /v1/events`: the latest rejected requests and warnings, without bodies (contract 3). */
export const eventsRoute: FastifyPluginAsyncTypebox<EventsRouteOptions> = async (app, { read }) => {
  app.get(
    "/v1/events",
    {
      schema: {
        tags: ["pipeline"],
        summary: "Recent rejected requests and warnings",
        querystring: NO_PARAMETERS,
        response: { 200: EventsSchema, ...errorResponses("invalid_query") },
      },
    },
    async () => read(),
  );
};
