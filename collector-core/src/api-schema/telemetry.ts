import { Type } from "typebox";

const Timestamp = (description: string) => Type.Union([Type.String(), Type.Number()], { description });

/** Required fields of a span. A batch with a span that lacks one is rejected. */
export const RequiredSpanFields = {
  name: Type.String({
    minLength: 1,
    description: "Name of the traced operation; truncated to 256 characters.",
  }),
  trace_id: Type.String({ minLength: 1, maxLength: 128, description: "The trace that the span belongs to." }),
};

/** Optional fields of a batch. A batch with one of a wrong type is rejected. */
export const BatchFields = {
  service: Type.Optional(Type.String({ default: "unknown", description: "Service name." })),
  env: Type.Optional(Type.String({ default: "development", description: "Environment name." })),
  version: Type.Optional(Type.String({ description: "Version of the application." })),
};

/**
 * A span as sent (contract 1). Only `name` and `trace_id` can cause a rejection: other invalid values are left out and
 * counted in `obs_invalid_values_total{field}`.
 */
export const IncomingSpanSchema = Type.Object(
  {
    ...RequiredSpanFields,
    span_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Generated if absent." })),
    parent_span_id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
    span_type: Type.Optional(
      Type.String({
        default: "span",
        description:
          "Known types: llm, tool, agent, task, embedding, retrieval, evaluation, span. Other strings are kept.",
      }),
    ),
    status: Type.Optional(
      Type.String({
        default: "OK",
        description: "OK, ERROR or RUNNING (started, not ended); other strings are kept.",
      }),
    ),
    start_time: Type.Optional(Timestamp("RFC 3339, or Unix epoch milliseconds.")),
    end_time: Type.Optional(
      Timestamp("RFC 3339, or Unix epoch milliseconds. Default: start_time + duration_ms."),
    ),
    duration_ms: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1e9, description: "Optional when both times are present." }),
    ),
    attributes: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "Key/value attributes; at most limits.max_span_attributes are kept, known ones first.",
      }),
    ),
    events: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          time: Type.Optional(Timestamp("RFC 3339, or Unix epoch milliseconds.")),
          attributes: Type.Optional(
            Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true }),
          ),
        }),
        { description: "At most 128 are kept." },
      ),
    ),
    error_propagated: Type.Optional(
      Type.Boolean({ description: "True if the error came from a child span; it is not counted again." }),
    ),
    computed_cost_usd: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1e9,
        description:
          "Cost that another collector computed for a span without `cost_usd`. It is kept and not computed again.",
      }),
    ),
  },
  { additionalProperties: true },
);

/** The body of `POST /v1/telemetry` (spec 2.1). */
export const SpanBatchSchema = Type.Object(
  {
    ...BatchFields,
    batch_id: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          "Id for retries: a batch whose id was accepted within the last 10 minutes is not counted again.",
      }),
    ),
    spans: Type.Array(IncomingSpanSchema),
  },
  { additionalProperties: true, $id: "SpanBatch" },
);

/** The response to an accepted batch (spec 4.1). */
export const AcceptedSchema = Type.Object({
  status: Type.Literal("accepted"),
  spans_received: Type.Integer({ minimum: 0, description: "Spans in the batch." }),
});
