import Type from "typebox";

/** The body of `POST /v1/traces`, as far as the collector documents what OpenTelemetry's protocol defines. */
export const ExportTraceRequestSchema = Type.Object(
  {
    resourceSpans: Type.Optional(
      Type.Array(Type.Unsafe<object>({ type: "object", additionalProperties: true }), {
        description: "As OTLP 1 has it: resource, scopeSpans[].scope, scopeSpans[].spans[].",
      }),
    ),
  },
  { additionalProperties: true, $id: "ExportTraceServiceRequest" },
);

/** Its answer. */
export const ExportTraceResponseSchema = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object({
        rejectedSpans: Type.Optional(Type.String({ description: "How many, as a decimal." })),
        errorMessage: Type.Optional(Type.String({ description: "Why." })),
      }),
    ),
  },
  { $id: "ExportTraceServiceResponse" },
);
