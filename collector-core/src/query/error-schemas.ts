import Type, { type TObject } from "typebox";
import { ERROR_CATALOGUE, type ErrorCode } from "../api-schema/errors.js";

/** The schema of an error body, with the errors of one status as its description. */
export type ErrorResponseSchema = TObject & { readonly description: string };

/** Documents the errors of a route by status. */
export function errorResponses(...codes: ErrorCode[]): Record<number, ErrorResponseSchema> {
  const statuses = new Set(codes.map((code) => ERROR_CATALOGUE[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      errorSchema(codes.filter((code) => ERROR_CATALOGUE[code].status === status)),
    ]),
  );
}

function errorSchema(codes: readonly ErrorCode[]): ErrorResponseSchema {
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
