import { Type, type TObject } from "typebox";
import { ERROR_CATALOGUE, type ErrorCode } from "../api-schema/errors.js";

/** The schema of an error body, with the errors of one status as its description. */
export type ErrorResponseSchema = TObject & { readonly description: string };

/** Errors of every route. */
export const COMMON_ERRORS = [
  "unauthorized",
  "rate_limited",
  "host_not_allowed",
  "origin_not_allowed",
  "internal_error",
] as const satisfies readonly ErrorCode[];

/** Errors of a route that answers about one trace. */
export const TRACE_ERRORS = [
  "invalid_query",
  "invalid_tenant",
  "trace_not_found",
  "trace_store_disabled",
  "overloaded",
  "ambiguous_trace",
] as const satisfies readonly ErrorCode[];

/** Errors of a route that lists what matches filters. */
export const LIST_ERRORS = [
  "invalid_limit",
  "invalid_query",
  "invalid_tenant",
  "trace_store_disabled",
  "overloaded",
] as const satisfies readonly ErrorCode[];

/** Documents the errors of a route by status, with the common errors of these statuses. A store that may be off may also fail to answer. */
export function errorResponses(...named: ErrorCode[]): Record<number, ErrorResponseSchema> {
  const asksStore = named.includes("trace_store_disabled");
  const own: ErrorCode[] = asksStore ? [...named, "trace_store_unavailable"] : named;
  const statuses = new Set(own.map((code) => ERROR_CATALOGUE[code].status));
  const codes = [...new Set([...own, ...COMMON_ERRORS])];
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      errorSchema(codes.filter((code) => ERROR_CATALOGUE[code].status === status)),
    ]),
  );
}

/** Schemas by their codes. Many routes have the same errors. */
const known = new Map<string, ErrorResponseSchema>();

function errorSchema(codes: readonly ErrorCode[]): ErrorResponseSchema {
  const key = codes.join(" ");
  const schema = known.get(key) ?? newErrorSchema(codes);
  known.set(key, schema);
  return schema;
}

function newErrorSchema(codes: readonly ErrorCode[]): ErrorResponseSchema {
  const schema = Type.Object({
    error: Type.Object({
      code: Type.Union(codes.map((code) => Type.Literal(code))),
      message: Type.String({ description: "What is wrong, with the value and the limit." }),
      details: Type.Record(Type.String(), Type.Unknown()),
    }),
  });
  const description = codes.map((code) => `${code}: ${ERROR_CATALOGUE[code].meaning}`).join(" ");
  return Object.assign(schema, { description });
}
