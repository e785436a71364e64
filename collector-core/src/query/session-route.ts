import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { ApiError } from "../api-schema/errors.js";
import type { ReadJsonBody } from "../interfaces.js";
import { isRecord } from "../span/span-facts.js";
import { errorResponses } from "./error-schemas.js";

/** Options of {@link sessionRoute}. */
export interface SessionRouteOptions {
  /** Returns the cookie to set; throws `ApiError` unauthorized, rate_limited. */
  readonly openSession: (key: string, request: IncomingMessage) => string;
  /** Ends the session that these headers carry, and returns the cookie to set. */
  readonly closeSession: (headers: IncomingHttpHeaders) => string;
  readonly readJson: ReadJsonBody;
}

/** Maximum size of the body of a sign-in. */
export const MAX_SESSION_BYTES = 4096;
const SIGNED_IN: Record<number, object> = { 204: Type.Null({ description: "Signed in." }) };
const SIGNED_OUT: Record<number, object> = { 204: Type.Null({ description: "Signed out." }) };

/** `POST` and `DELETE /v1/session`: signs a browser in and out when API keys are set (contract 3). */
export const sessionRoute: FastifyPluginAsyncTypebox<SessionRouteOptions> = async (
  app,
  { openSession, closeSession, readJson },
) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async ({ raw }: FastifyRequest) =>
    requireKey(await readJson(raw)),
  );
  app.post(
    "/v1/session",
    {
      schema: {
        tags: ["session"],
        summary: "Sign a browser in",
        description: "Sets an HttpOnly cookie that every route of /v1/* accepts instead of a key.",
        body: Type.Object({ key: Type.String({ description: "One of `auth.api_keys`." }) }),
        response: {
          ...SIGNED_IN,
          ...errorResponses(
            "invalid_json",
            "invalid_payload",
            "unauthorized",
            "rate_limited",
            "body_too_large",
            "invalid_encoding",
            "unsupported_encoding",
            "overloaded",
            "unsupported_media_type",
          ),
        },
      },
    },
    async ({ body, raw }, reply) =>
      await reply.header("Set-Cookie", openSession(body.key, raw)).code(204).send(),
  );
  app.delete(
    "/v1/session",
    { schema: { tags: ["session"], summary: "Sign a browser out", response: SIGNED_OUT } },
    async ({ headers }, reply) => await reply.header("Set-Cookie", closeSession(headers)).code(204).send(),
  );
};

/** Validates the body itself: the schema validator reports errors as `invalid_query`. */
function requireKey(body: unknown): unknown {
  if (isRecord(body) && typeof body["key"] === "string") return body;
  throw new ApiError("invalid_payload", 'The body must be {"key": "…"}.');
}
