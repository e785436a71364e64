import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import {
  ConfigChangeSchema,
  ConfigDescriptionSchema,
  type ConfigChange,
  type ConfigDescription,
} from "../api-schema/config.js";
import { ApiError } from "../api-schema/errors.js";
import { isRecord } from "../span/span-facts.js";
import { errorResponses } from "./error-schemas.js";
import { requireTrustedClient, type TrustedClients } from "./trusted-client.js";

/** Options of {@link configRoutes}. */
export interface ConfigRoutesOptions extends TrustedClients {
  readonly describe: () => ConfigDescription;
  readonly write: (values: Readonly<Record<string, unknown>>) => Promise<ConfigChange>;
}

const MAX_BODY_BYTES = 256 * 1024;
const Body = Type.Object({
  config: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "New values by key. null removes a key from the file. A secret sent as `***` keeps its value.",
  }),
});

/** `GET` and `PUT /v1/config`: the effective configuration, and the file that holds it (contract 3). */
export const configRoutes: FastifyPluginAsyncTypebox<ConfigRoutesOptions> = async (app, options) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string", bodyLimit: MAX_BODY_BYTES }, parseBody);
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
          "Validates every value and the whole file before it replaces the file; comments are kept. Requires an API key, or " +
          "without `auth.api_keys` a client on the same machine. The changes apply after a restart of the collector.",
        body: Body,
        response: {
          200: ConfigChangeSchema,
          ...errorResponses(
            "invalid_json",
            "invalid_payload",
            "invalid_config",
            "loopback_only",
            "config_not_writable",
            "body_too_large",
            "unsupported_media_type",
          ),
        },
      },
    },
    async ({ body }) => await options.write(body.config),
  );
};

/** Validates the body itself: the schema validator reports errors as `invalid_query`. */
async function parseBody(_request: unknown, text: string | Buffer): Promise<unknown> {
  let body: unknown;
  try {
    body = JSON.parse(String(text));
  } catch {
    throw new ApiError("invalid_json", "The body is not valid JSON.");
  }
  if (isRecord(body) && isRecord(body["config"])) return body;
  throw new ApiError("invalid_payload", 'The body must be {"config": {"section.key": value, …}}.');
}
