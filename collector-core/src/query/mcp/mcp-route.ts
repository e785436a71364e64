import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { Type } from "typebox";
import { ApiError } from "../../api-schema/errors.js";
import type { ReadJsonBody } from "../../interfaces.js";
import { errorResponses } from "../error-schemas.js";
import { whileAnswering, withoutTimeLimit } from "../trace-requests.js";
import type { AnswerMcp } from "./mcp-server.js";

/** Options of {@link mcpRoute}. */
export interface McpRouteOptions {
  readonly readJson: ReadJsonBody;
  /** The tenant of the tenant header. @throws `ApiError` invalid_tenant. */
  readonly readTenant: (request: IncomingMessage) => string | undefined;
  /** Loads the server with the first request: the start of the collector does not wait for it. */
  readonly load: () => Promise<AnswerMcp>;
}

/** Maximum size of a message: a call of a tool with its arguments. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** Loosely typed, since the SDK writes the responses. */
const ANSWERED: Record<number, object> = {
  200: Type.Object(
    {},
    { description: "A JSON-RPC response, as JSON or as one server-sent event.", additionalProperties: true },
  ),
  202: Type.Null({ description: "A notification was taken." }),
};

/** `POST /mcp`: the tools for coding agents (contract 9): Model Context Protocol, streamable HTTP without sessions. */
export const mcpRoute: FastifyPluginAsync<McpRouteOptions> = async (app, { readJson, readTenant, load }) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async ({ raw }: FastifyRequest) => await readJson(raw));
  let answer: Promise<AnswerMcp> | undefined;

  app.post(
    "/mcp",
    {
      schema: {
        tags: ["coding agents"],
        summary: "Model Context Protocol",
        description:
          "One JSON-RPC message of the Model Context Protocol, in version 2026-07-28, 2025-11-25 or an earlier one. There are no sessions.",
        body: Type.Unknown({ description: "A JSON-RPC request or notification." }),
        response: {
          ...ANSWERED,
          ...errorResponses(
            "invalid_json",
            "invalid_payload",
            "invalid_tenant",
            "body_too_large",
            "invalid_encoding",
            "unsupported_encoding",
            "unsupported_media_type",
            "overloaded",
          ),
        },
      },
    },
    async (request, reply) => {
      if (Array.isArray(request.body))
        throw new ApiError(
          "invalid_payload",
          "The body must be one JSON-RPC message: batches are not supported.",
        );
      const answering = await (answer ??= load());
      const response = await answering(request.body, {
        headers: headersOf(request.raw),
        tenant: readTenant(request.raw),
        signal: whileAnswering(reply.raw),
        begin: () => withoutTimeLimit(request, reply.raw),
      });
      const type = response.headers.get("content-type");
      if (type !== null) void reply.type(type);
      return await reply.code(response.status).send((await response.text()) || undefined);
    },
  );
};

function headersOf({ headers }: IncomingMessage): Headers {
  const names = [
    "accept",
    "content-type",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "mcp-session-id",
  ];
  return new Headers(
    names.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}
