import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { PricesQuerySchema, PriceTableSchema, type PriceTable } from "../api-schema/prices.js";
import { errorResponses } from "./error-schemas.js";

/** Options of {@link pricesRoute}. */
export interface PricesRouteOptions {
  /** @param models - only the prices of these; default: the whole table. */
  readonly read: (models?: readonly string[]) => Promise<PriceTable>;
}

/** `GET /v1/prices`: the prices by which the collector computes costs (contract 9). */
export const pricesRoute: FastifyPluginAsyncTypebox<PricesRouteOptions> = async (app, { read }) => {
  app.get(
    "/v1/prices",
    {
      schema: {
        tags: ["configuration"],
        summary: "The prices of models",
        querystring: PricesQuerySchema,
        response: { 200: PriceTableSchema, ...errorResponses("invalid_query") },
      },
    },
    async ({ query: { model } }) => await read(typeof model === "string" ? [model] : model),
  );
};
