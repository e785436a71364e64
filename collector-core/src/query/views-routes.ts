import type { FastifyRequest } from "fastify";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { ApiError } from "../api-schema/errors.js";
import { parseQuery, queryError } from "../api-schema/query/parse-query.js";
import { VIEW_LIMITS, ViewContentSchema, ViewListSchema, ViewSchema } from "../api-schema/views.js";
import type { ReadJsonBody } from "../interfaces.js";
import { errorResponses } from "./error-schemas.js";
import type { SavedViews } from "./saved-views.js";

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

/** Options of {@link viewsRoutes}. */
export interface ViewsRoutesOptions {
  readonly views: SavedViews;
  readonly readJson: ReadJsonBody;
}

/** Maximum size of the body of a view. */
export const MAX_VIEW_BYTES = 32 * 1024;
const TAGS = ["views"];
const REMOVED: Record<number, object> = { 204: Type.Null({ description: "Deleted." }) };
const Params = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: VIEW_LIMITS.id,
    pattern: "^[A-Za-z0-9_-]+$",
    description: "Chosen by the client: letters, digits, `-` and `_`.",
  }),
});

/** `GET /v1/views`, `PUT` and `DELETE /v1/views/{id}`: what users save of a page (contract 9). */
export const viewsRoutes: FastifyPluginAsyncTypebox<ViewsRoutesOptions> = async (
  app,
  { views, readJson },
) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async ({ raw }: FastifyRequest) =>
    requireContent(await readJson(raw)),
  );
  app.get(
    "/v1/views",
    {
      schema: {
        tags: TAGS,
        summary: "Saved views",
        description: "A new collector has the views Errors, Slow and Costly.",
        querystring: NO_PARAMETERS,
        response: { 200: ViewListSchema, ...errorResponses("invalid_query") },
      },
    },
    async () => ({ views: [...(await views.list())] }),
  );
  app.put(
    "/v1/views/:id",
    {
      schema: {
        tags: TAGS,
        summary: "Save a view",
        description: `Adds a view, or replaces the one with this id. A collector has at most ${VIEW_LIMITS.views} views.`,
        params: Params,
        body: ViewContentSchema,
        response: {
          200: ViewSchema,
          ...errorResponses(
            "invalid_json",
            "invalid_payload",
            "invalid_query",
            "body_too_large",
            "invalid_encoding",
            "unsupported_encoding",
            "views_not_writable",
            "overloaded",
            "unsupported_media_type",
          ),
        },
      },
    },
    async ({ params, body }) => {
      const { name, page, query, columns, order, group_by: groupBy } = body;
      const [problem] = parseQuery(query, page === "sessions" ? "sessions" : "traces").problems;
      if (problem !== undefined) throw queryError(problem);
      const view = { id: params.id, name, page, query, columns, order, group_by: groupBy };
      await views.put(view);
      return view;
    },
  );
  app.delete(
    "/v1/views/:id",
    {
      schema: {
        tags: TAGS,
        summary: "Delete a view",
        params: Params,
        response: { ...REMOVED, ...errorResponses("invalid_query", "view_not_found", "views_not_writable") },
      },
    },
    async ({ params }, reply) => {
      await views.remove(params.id);
      return await reply.code(204).send();
    },
  );
};

/** Validates the body itself: the schema validator reports errors as `invalid_query`. */
function requireContent(body: unknown): unknown {
  const content =
    typeof body === "object" && body !== null
      ? { page: "traces", query: "", columns: null, order: null, group_by: null, ...body }
      : body;
  if (Value.Check(ViewContentSchema, content)) return content;
  throw new ApiError(
    "invalid_payload",
    'The body must be {"name": "…", "page": "traces", "query": "…", "columns": […], "order": "…", "group_by": "…"}; ' +
      `all but name may be left out. A name has at most ${VIEW_LIMITS.name} characters, a query ${VIEW_LIMITS.query}.`,
    { max_name: VIEW_LIMITS.name, max_query: VIEW_LIMITS.query, max_columns: VIEW_LIMITS.columns },
  );
}
