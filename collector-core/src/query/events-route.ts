import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { EventsSchema, type Events } from "../api-schema/events.js";
import { errorAnswers } from "./error-schemas.js";

/** What {@link eventsRoute} needs. */
export interface EventsRouteOptions {
  readonly read: () => Events;
}

/** `GET /v1/events`: the last refused requests and the last warnings, without bodies (contract 3). */
export const eventsRoute: FastifyPluginAsyncTypebox<EventsRouteOptions> = async (app, { read }) => {
  app.get(
    "/v1/events",
    {
      schema: {
        tags: ["pipeline"],
        summary: "What was refused, and what the collector warned of",
        querystring: Type.Object({}, { additionalProperties: false }),
        response: { 200: EventsSchema, ...errorAnswers("invalid_query") },
      },
    },
    async () => read(),
  );
};
