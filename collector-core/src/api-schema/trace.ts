import Type, { type Static } from "typebox";
import type { Attributes, SpanEvent } from "@obspan/sdk/wire";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** A score that a judge, the app or a user gave. */
export const ScoreSchema = Type.Object({
  type: Type.String({ description: "What was judged, such as `relevance`." }),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  label: Nullable(Type.String(), "What the judge called it."),
});

/** One trace in a list (contract 3). */
export const TraceSummarySchema = Type.Object(
  {
    trace_id: Type.String(),
    tenant: Type.String({ description: "Empty where the collector is not multi-tenant." }),
    root_name: Type.String({
      description: "Name of the span without a parent, or of the earliest one until it comes.",
    }),
    service: Type.String(),
    env: Type.String(),
    version: Nullable(Type.String(), "Version of the application."),
    agent: Nullable(Type.String(), "The root's agent, or the first that a span names."),
    models: Type.Array(Type.String(), {
      description: "The first 20 models that were called, in order of arrival.",
    }),
    status: Type.String({
      description:
        "`RUNNING` while a span runs; `ABANDONED` where the running ones have been silent for 30 minutes; then the " +
        "root's status, or `ERROR` where a span failed and no root has come.",
    }),
    error_type: Nullable(Type.String(), "Category of the root's error, or of the first error."),
    error_count: Type.Integer({ description: "Spans that failed of themselves, not through a child." }),
    start_time: Type.String({ description: "RFC 3339: the earliest start of a span." }),
    duration_ms: Type.Number({ description: "From the earliest start to the latest end." }),
    ttft_ms: Nullable(Type.Number(), "Time to the first token of the first model call that measured it."),
    span_count: Type.Integer({ description: "Spans that are kept." }),
    llm_calls: Type.Integer(),
    tool_calls: Type.Integer(),
    tokens_input: Type.Integer(),
    tokens_output: Type.Integer(),
    cost_usd: Type.Number(),
    scores: Type.Array(ScoreSchema, { description: "The latest score of each type, at most 20." }),
    input_preview: Nullable(Type.String(), "The first 200 characters of what went in."),
    output_preview: Nullable(Type.String(), "The first 200 characters of what came out."),
    dropped_spans: Type.Integer({ description: "Spans dropped by `trace_store.max_spans_per_trace`." }),
    running: Type.Boolean({ description: "A span has started and not ended." }),
    partial: Type.Boolean({ description: "Earlier spans of this trace were evicted before these came." }),
  },
  { $id: "TraceSummary" },
);
export type TraceSummary = Static<typeof TraceSummarySchema>;

/** A span as the collector answers it: contract 1 with the defaults filled in. */
export const NormalizedSpanSchema = Type.Object(
  {
    trace_id: Type.String(),
    span_id: Type.String(),
    parent_span_id: Nullable(Type.String(), "The span that this one ran inside."),
    name: Type.String(),
    span_type: Type.String(),
    status: Type.String({
      description: "`OK`, `ERROR`, `RUNNING`, `ABANDONED` (running, and silent for 30 minutes), or as sent.",
    }),
    start_time: Type.String({ description: "RFC 3339, with as many digits as needed." }),
    end_time: Nullable(
      Type.String(),
      "RFC 3339; null while the span runs, or where its duration is not known.",
    ),
    duration_ms: Nullable(Type.Number(), "Null while the span runs, or where it is not known."),
    service: Type.String(),
    env: Type.String(),
    version: Nullable(Type.String(), "Version of the application."),
    attributes: Type.Unsafe<Attributes>({
      type: "object",
      additionalProperties: true,
      description:
        "As sent. In `GET /v1/traces/{id}` a string over 4 KiB comes as `{truncated: true, bytes, preview}`.",
    }),
    events: Type.Unsafe<SpanEvent[]>({
      type: "array",
      items: { type: "object", additionalProperties: true },
    }),
    error_propagated: Type.Optional(Type.Boolean({ description: "The error came up from a child." })),
  },
  { $id: "Span" },
);
export type NormalizedSpan = Static<typeof NormalizedSpanSchema>;

/** What stands for a string of more than 4 KiB until it is asked for. */
export interface TruncatedText {
  truncated: true;
  /** Length of the whole text in bytes of UTF-8. */
  bytes: number;
  preview: string;
}

/** Filters over traces, shared by all that answers or takes out traces. */
export const TraceFilterSchema = Type.Object({
  trace_id: Type.Optional(Type.String({ description: "Look up one trace." })),
  tenant: Type.Optional(
    Type.String({
      description:
        "Traces of one tenant. Default where the collector is multi-tenant: the tenant header, else every tenant.",
    }),
  ),
  service: Type.Optional(Type.String()),
  env: Type.Optional(Type.String()),
  agent: Type.Optional(Type.String()),
  model: Type.Optional(Type.String({ description: "Traces in which this model was called." })),
  status: Type.Optional(
    Type.String({ description: "`OK`, `ERROR`, `RUNNING` and so on: the summary's status." }),
  ),
  span_type: Type.Optional(Type.String({ description: "Traces with a span of this type." })),
  root_name: Type.Optional(Type.String({ description: "Name of the span without a parent." })),
  min_duration_ms: Type.Optional(Type.Number({ minimum: 0, description: "Traces that took this long." })),
  since: Type.Optional(
    Type.String({
      description: "Traces that started then or later: RFC 3339, or Unix epoch milliseconds.",
    }),
  ),
  until: Type.Optional(Type.String({ description: "Traces that started earlier than that." })),
  has_evaluation: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "`true` or `false`, or what was judged: `relevance` chooses traces with such an evaluation.",
    }),
  ),
  q: Type.Optional(
    Type.String({
      description: "Text to find in span names and text attributes, in any letter case.",
      minLength: 1,
    }),
  ),
});
export type TraceFilter = Static<typeof TraceFilterSchema>;

/** Orders of a list: `newest` is the order in which traces came. */
export const TraceOrderSchema = Type.Union(
  [Type.Literal("newest"), Type.Literal("slowest"), Type.Literal("costliest")],
  {
    default: "newest",
    description:
      "`newest` is the order in which traces came. Pages of the others leave out what came after the first of them.",
  },
);
export type TraceOrder = Static<typeof TraceOrderSchema>;

export const TraceQuerySchema = Type.Object({
  ...TraceFilterSchema.properties,
  order: Type.Optional(TraceOrderSchema),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: "Most results a page." }),
  ),
  cursor: Type.Optional(
    Type.String({ description: "`next_cursor` of the page before, to go on from there." }),
  ),
});
export type TraceQuery = Static<typeof TraceQuerySchema>;

export const TraceListSchema = Type.Object({
  traces: Type.Array(TraceSummarySchema),
  next_cursor: Nullable(Type.String(), "Pass it as `cursor` for the next page; null on the last one."),
});
export type TraceList = Static<typeof TraceListSchema>;

export const TraceDetailSchema = Type.Object({
  trace: TraceSummarySchema,
  spans: Type.Array(NormalizedSpanSchema, { description: "In order of start, ties by arrival." }),
});
export type TraceDetail = Static<typeof TraceDetailSchema>;

const FacetSchema = Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }), {
  description: "Most frequent first; at most 200.",
});

/** How many of the traces that a filter chooses have which value. */
export const FacetsSchema = Type.Object({
  total: Type.Integer({ description: "Traces that the filter chooses." }),
  cost_usd: Type.Number({ description: "What these traces cost together, as far as they are kept." }),
  service: FacetSchema,
  env: FacetSchema,
  agent: FacetSchema,
  model: FacetSchema,
  status: FacetSchema,
  span_type: FacetSchema,
  tenant: FacetSchema,
  evaluation_type: FacetSchema,
});
export type Facets = Static<typeof FacetsSchema>;

export const HistogramQuerySchema = Type.Object({
  ...TraceFilterSchema.properties,
  buckets: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 60, description: "Most buckets that are answered." }),
  ),
});
export type HistogramQuery = Static<typeof HistogramQuerySchema>;

/** When the traces that a filter chooses started. */
export const HistogramSchema = Type.Object({
  total: Type.Integer({ description: "Traces in all buckets." }),
  bucket_ms: Nullable(
    Type.Integer(),
    "Length of a bucket: the shortest round one, from a second on, with which `buckets` suffice; null where there is none.",
  ),
  buckets: Type.Array(
    Type.Object({
      start: Type.String({ description: "RFC 3339." }),
      traces: Type.Integer({ description: "Traces that started in it." }),
      errors: Type.Integer({ description: "Of these, traces of status `ERROR`." }),
    }),
    {
      description: "Without a gap, from `since` to `until`, or else from the earliest to the latest start.",
    },
  ),
});
export type Histogram = Static<typeof HistogramSchema>;
