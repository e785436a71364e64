import { Type } from "typebox";

/** The body of `POST /v1/traces`. OTLP defines its content. */
export const ExportTraceRequestSchema = Type.Object(
  {
    resourceSpans: Type.Optional(
      Type.Array(Type.Unsafe<object>({ type: "object", additionalProperties: true }), {
        description: "As in OTLP 1: resource, scopeSpans[].scope, scopeSpans[].spans[].",
      }),
    ),
  },
  { additionalProperties: true, $id: "ExportTraceServiceRequest" },
);

/** The response of `POST /v1/traces`. */
export const ExportTraceResponseSchema = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object({
        rejectedSpans: Type.Optional(Type.String({ description: "Number of rejected spans, in decimal." })),
        errorMessage: Type.Optional(Type.String({ description: "The reason." })),
      }),
    ),
  },
  { $id: "ExportTraceServiceResponse" },
);
