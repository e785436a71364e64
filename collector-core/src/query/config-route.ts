import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ConfigDescriptionSchema, type ConfigDescription } from "../contract/config.js";

/** What {@link configRoute} needs. */
export interface ConfigRouteOptions {
  readonly describe: () => ConfigDescription;
}

/** `GET /v1/config`: the effective configuration, each value with its source, secrets hidden (contract 3). */
export const configRoute: FastifyPluginAsyncTypebox<ConfigRouteOptions> = async (app, { describe }) => {
  app.get(
    "/v1/config",
    {
      schema: {
        tags: ["configuration"],
        summary: "The effective configuration",
        response: { 200: ConfigDescriptionSchema },
      },
    },
    async () => describe(),
  );
};
