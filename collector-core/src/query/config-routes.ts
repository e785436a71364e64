import type { FastifyRequest } from "fastify";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import {
  ConfigChangeSchema,
  ConfigCheckSchema,
  ConfigDescriptionSchema,
  type ConfigChange,
  type ConfigCheck,
  type ConfigDescription,
} from "../api-schema/config.js";
import { ApiError } from "../api-schema/errors.js";
import type { ReadJsonBody } from "../interfaces.js";
import { isRecord } from "../span/span-facts.js";
import { errorResponses } from "./error-schemas.js";
import { whileConnected } from "./trace-requests.js";
import { requireTrustedClient, type TrustedClients } from "./trusted-client.js";

/** Options of {@link configRoutes}. */
export interface ConfigRoutesOptions extends TrustedClients {
  readonly describe: () => ConfigDescription;
  readonly readJson: ReadJsonBody;
  readonly check: (values: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ConfigCheck>;
  readonly write: (values: Readonly<Record<string, unknown>>) => Promise<ConfigChange>;
}

/** Maximum size of the body of a change. */
export const MAX_CHANGE_BYTES = 256 * 1024;
/** Maximum keys and items in the values of a change. The file is parsed and written in one turn of the event loop. */
const MAX_PARTS = 2000;
const MAX_DEPTH = 32;
/** Of a request with a change, also of one that is only checked. */
const CHANGE_ERRORS = [
  "invalid_json",
  "invalid_payload",
  "loopback_only",
  "config_not_writable",
  "body_too_large",
  "invalid_encoding",
  "unsupported_encoding",
  "overloaded",
  "unsupported_media_type",
] as const;
const Body = Type.Object({
  config: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "New values by key. null removes a key from the file. A secret sent as `***` keeps its value.",
  }),
});

/** `GET` and `PUT /v1/config`, `POST /v1/config/check`: the effective configuration, and the file that holds it (contract 3). */
export const configRoutes: FastifyPluginAsyncTypebox<ConfigRoutesOptions> = async (app, options) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async ({ raw }: FastifyRequest) =>
    requireChange(await options.readJson(raw)),
  );
  app.get(
    "/v1/config",
    {
      schema: {
        tags: ["configuration"],
        summary: "The effective configuration",
        response: { 200: ConfigDescriptionSchema },
      },
    },
    async () => options.describe(),
  );
  app.put(
    "/v1/config",
    {
      preHandler: async (request) =>
        requireTrustedClient(request, options, "the configuration can only be written"),
      schema: {
        tags: ["configuration"],
        summary: "Write the configuration file",
        description:
          "Validates every value and the whole file before it replaces the file; comments are kept. The values may have 2,000 " +
          "keys and items. Requires an API key, or " +
          "without `auth.api_keys` a client on the same machine. The changes apply after a restart of the collector.",
        body: Body,
        response: {
          200: ConfigChangeSchema,
          ...errorResponses(...CHANGE_ERRORS, "several_collectors", "invalid_config"),
        },
      },
    },
    async ({ body }) => await options.write(body.config),
  );
  app.post(
    "/v1/config/check",
    {
      preHandler: async (request) =>
        requireTrustedClient(request, options, "a change of the configuration can only be checked"),
      schema: {
        tags: ["configuration"],
        summary: "Check a change of the configuration",
        description:
          "Says what `PUT /v1/config` would do with the values, and writes nothing. Requires what that requires.",
        body: Body,
        response: {
          200: ConfigCheckSchema,
          ...errorResponses(...CHANGE_ERRORS),
        },
      },
    },
    async ({ body }, reply) => await options.check(body.config, whileConnected(reply.raw)),
  );
};

/** Validates the body itself: the schema validator reports errors as `invalid_query`. */
function requireChange(body: unknown): unknown {
  if (!isRecord(body) || !isRecord(body["config"]))
    throw new ApiError("invalid_payload", 'The body must be {"config": {"section.key": value, …}}.');
  let parts = 0;
  for (const value of Object.values(body["config"])) parts += partsOf(value, MAX_PARTS - parts, MAX_DEPTH);
  if (parts <= MAX_PARTS) return body;
  throw new ApiError(
    "invalid_payload",
    `The values have more than ${MAX_PARTS} keys and items, or are nested deeper than ${MAX_DEPTH} levels.`,
    { max_parts: MAX_PARTS, max_depth: MAX_DEPTH },
  );
}

/** Counts the keys and items in a value, up to `max`; infinite if it is nested deeper than `levels`. */
function partsOf(value: unknown, max: number, levels: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (levels === 0) return Infinity;
  let parts = 0;
  for (const item of Object.values(value)) {
    parts += 1 + partsOf(item, max - parts, levels - 1);
    if (parts > max) break;
  }
  return parts;
}
