import { Type, type Static } from "typebox";
import type { Attributes, SpanEvent } from "@obspan/sdk/wire";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** A score that a judge, the app or a user gave. */
export const ScoreSchema = Type.Object({
  type: Type.String({ description: "Evaluation type, such as `relevance`." }),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  label: Nullable(Type.String(), "The label that the judge gave."),
});

/** Where a sum of costs comes from. */
export const CostSourceOfSumSchema = Nullable(
  Type.Union([Type.Literal("reported"), Type.Literal("computed")]),
  "`computed` if a collector computed some of the cost, `reported` if senders reported all of it; null without a cost.",
);

/** One trace in a list (contract 3). */
export const TraceSummarySchema = Type.Object(
  {
    trace_id: Type.String(),
    tenant: Type.String({ description: "Empty if multi-tenancy is off." }),
    root_name: Type.String({
      description: "Name of the root span, or of the earliest span until the root arrives.",
    }),
    service: Type.String(),
    env: Type.String(),
    version: Nullable(Type.String(), "Version of the application."),
    agent: Nullable(Type.String(), "Agent of the root span, or the first agent of any span."),
    session_id: Nullable(Type.String(), "The first `session_id` of a span, in order of arrival."),
    user_id: Nullable(Type.String(), "The first `user_id` of a span, in order of arrival."),
    models: Type.Array(Type.String(), {
      description: "The first 20 models that were called, in order of arrival.",
    }),
    providers: Type.Array(Type.String(), {
      description: "The first 20 providers that spans name, in order of arrival.",
    }),
    tools: Type.Array(Type.String(), {
      description: "The first 20 tools that tool spans name, in order of arrival.",
    }),
    prompts: Type.Array(Type.String(), {
      description:
        "The first 20 prompts that spans name, in order of arrival: `prompt_name`, or `prompt_name@prompt_version`.",
    }),
    status: Type.String({
      description:
        "`RUNNING` while a span runs; `ABANDONED` if the running spans had no update for 30 minutes; otherwise the status " +
        "of the root span, or `ERROR` if a span failed and no root has arrived.",
    }),
    error_type: Nullable(Type.String(), "Category of the error of the root span, or of the first error."),
    error_count: Type.Integer({ description: "Failed spans, not counting errors that came from a child." }),
    start_time: Type.String({ description: "RFC 3339: the earliest start of any span." }),
    duration_ms: Type.Number({ description: "From the earliest start to the latest end." }),
    ttft_ms: Nullable(Type.Number(), "Time to first token of the first model call that has one."),
    span_count: Type.Integer({ description: "Stored spans." }),
    llm_calls: Type.Integer(),
    tool_calls: Type.Integer(),
    tokens_input: Type.Integer(),
    tokens_output: Type.Integer(),
    cost_usd: Type.Number(),
    cost_source: CostSourceOfSumSchema,
    scores: Type.Array(ScoreSchema, { description: "The latest score of each type, at most 20." }),
    input_preview: Nullable(Type.String(), "The first 200 characters of the input."),
    output_preview: Nullable(Type.String(), "The first 200 characters of the output."),
    dropped_spans: Type.Integer({ description: "Spans dropped by `trace_store.max_spans_per_trace`." }),
    running: Type.Boolean({ description: "True if a span has started and not ended." }),
    partial: Type.Boolean({
      description: "True if earlier spans of this trace were evicted before these arrived.",
    }),
  },
  { $id: "TraceSummary" },
);
export type TraceSummary = Static<typeof TraceSummarySchema>;

/** A span in a response: contract 1 with defaults filled in. */
export const NormalizedSpanSchema = Type.Object(
  {
    trace_id: Type.String(),
    span_id: Type.String(),
    parent_span_id: Nullable(Type.String(), "Id of the parent span."),
    name: Type.String(),
    span_type: Type.String(),
    status: Type.String({
      description:
        "`OK`, `ERROR`, `RUNNING`, `ABANDONED` (running without an update for 30 minutes), or as sent.",
    }),
    start_time: Type.String({ description: "RFC 3339, with as many digits as needed." }),
    end_time: Nullable(Type.String(), "RFC 3339; null while the span runs, or if its duration is unknown."),
    duration_ms: Nullable(Type.Number(), "Null while the span runs, or if unknown."),
    service: Type.String(),
    env: Type.String(),
    version: Nullable(Type.String(), "Version of the application."),
    attributes: Type.Unsafe<Attributes>({
      type: "object",
      additionalProperties: true,
      description:
        "As sent. `GET /v1/traces/{id}` replaces strings over 4 KiB by `{truncated: true, bytes, preview}`.",
    }),
    events: Type.Unsafe<SpanEvent[]>({
      type: "array",
      items: { type: "object", additionalProperties: true },
    }),
    error_propagated: Type.Optional(
      Type.Boolean({ description: "True if the error came from a child span." }),
    ),
    cost_usd: Type.Optional(Type.Number({ description: "Cost in USD, if it is known." })),
    cost_source: Type.Optional(
      Type.Union([Type.Literal("reported"), Type.Literal("computed")], {
        description:
          "`reported` by the sender, as the attribute `cost_usd`; or `computed` by a collector from the price of the model.",
      }),
    ),
  },
  { $id: "Span" },
);
export type NormalizedSpan = Static<typeof NormalizedSpanSchema>;

/** The preview of a string over 4 KiB. */
export interface TruncatedText {
  truncated: true;
  /** Length of the full text in UTF-8. */
  bytes: number;
  preview: string;
}

/** Filters of all routes that read or export traces. */
export const TraceFilterSchema = Type.Object({
  trace_id: Type.Optional(Type.String({ description: "Only the trace with this id." })),
  tenant: Type.Optional(
    Type.String({
      description:
        "Only traces of this tenant. Default: the tenant header if multi-tenancy is on, else every tenant.",
    }),
  ),
  service: Type.Optional(Type.String()),
  env: Type.Optional(Type.String()),
  agent: Type.Optional(Type.String()),
  model: Type.Optional(Type.String({ description: "Only traces that called this model." })),
  status: Type.Optional(
    Type.String({ description: "Status of the trace summary: `OK`, `ERROR`, `RUNNING` or another." }),
  ),
  span_type: Type.Optional(Type.String({ description: "Only traces with a span of this type." })),
  root_name: Type.Optional(Type.String({ description: "Name of the root span." })),
  min_duration_ms: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1e12, description: "Only traces of at least this duration." }),
  ),
  since: Type.Optional(
    Type.String({
      description: "Started at this time or later: RFC 3339, or Unix epoch milliseconds.",
    }),
  ),
  until: Type.Optional(Type.String({ description: "Started before this time." })),
  has_evaluation: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "`true`, `false`, or an evaluation type: `relevance` selects traces with such an evaluation.",
    }),
  ),
  q: Type.Optional(
    Type.String({
      description: "Case-insensitive text search in span names and text attributes.",
      minLength: 1,
    }),
  ),
  session: Type.Optional(Type.String({ description: "Only traces of this session." })),
  user: Type.Optional(Type.String({ description: "Only traces of this user." })),
  tool: Type.Optional(Type.String({ description: "Only traces that called this tool." })),
  provider: Type.Optional(Type.String({ description: "Only traces that called a model of this provider." })),
  version: Type.Optional(Type.String({ description: "Version of the application." })),
  error_type: Type.Optional(
    Type.String({ description: "Only traces with an error of this category, such as `timeout`." }),
  ),
  prompt: Type.Optional(
    Type.String({ description: "Only traces that used this prompt: `name`, or `name@version`." }),
  ),
  prompt_version: Type.Optional(
    Type.String({ description: "Only traces that used this version of a prompt." }),
  ),
  query: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Conditions in the query language, all of which must hold: `tool:search -status:OK duration:>2s @customer.tier:gold "late parcel"`. ' +
        "An unknown key or a value that cannot be read is answered with `invalid_query`; `details` has the `key` and its `position`.",
    }),
  ),
});
export type TraceFilter = Static<typeof TraceFilterSchema>;

/** Orders of a list of traces. */
export const TraceOrderSchema = Type.Union(
  [Type.Literal("newest"), Type.Literal("start"), Type.Literal("slowest"), Type.Literal("costliest")],
  {
    default: "newest",
    description:
      "`newest` is the order of arrival, newest first; `start` has the latest start first. In the last two orders, later pages leave out traces that arrived after the first page.",
  },
);
export type TraceOrder = Static<typeof TraceOrderSchema>;

export const TraceQuerySchema = Type.Object({
  ...TraceFilterSchema.properties,
  order: Type.Optional(TraceOrderSchema),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: "Results per page." }),
  ),
  cursor: Type.Optional(Type.String({ description: "`next_cursor` of the previous page." })),
});
export type TraceQuery = Static<typeof TraceQuerySchema>;

export const TraceListSchema = Type.Object({
  traces: Type.Array(TraceSummarySchema),
  next_cursor: Nullable(Type.String(), "Pass it as `cursor` for the next page; null on the last one."),
});
export type TraceList = Static<typeof TraceListSchema>;

export const TraceDetailSchema = Type.Object({
  trace: TraceSummarySchema,
  spans: Type.Array(NormalizedSpanSchema, { description: "By start time, ties by arrival." }),
});
export type TraceDetail = Static<typeof TraceDetailSchema>;

export const FacetsQuerySchema = Type.Object({
  ...TraceFilterSchema.properties,
  contains: Type.Optional(
    Type.String({ description: "Only values that contain this text, in any letter case.", minLength: 1 }),
  ),
});
export type FacetsQuery = Static<typeof FacetsQuerySchema>;

const FacetSchema = Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }), {
  description: "Most frequent first; at most 200.",
});

const FACET_FIELDS = {
  service: FacetSchema,
  env: FacetSchema,
  agent: FacetSchema,
  model: FacetSchema,
  status: FacetSchema,
  span_type: FacetSchema,
  tenant: FacetSchema,
  evaluation_type: FacetSchema,
  version: FacetSchema,
  provider: FacetSchema,
  tool: FacetSchema,
  prompt: FacetSchema,
  error_type: FacetSchema,
};
/** The fields whose values are counted. */
export type FacetField = keyof typeof FACET_FIELDS;

/** Number of matching traces per value of each field. */
export const FacetsSchema = Type.Object({
  total: Type.Integer({ description: "Matching traces." }),
  cost_usd: Type.Number({ description: "Total cost of these traces, as far as they are stored." }),
  cost_source: CostSourceOfSumSchema,
  ...FACET_FIELDS,
  distinct: Type.Record(Type.String(), Type.Integer(), {
    description: "Number of values of each field, also those that are not listed.",
  }),
});
export type Facets = Static<typeof FacetsSchema>;

export const HistogramQuerySchema = Type.Object({
  ...TraceFilterSchema.properties,
  buckets: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 60, description: "Maximum number of buckets." }),
  ),
});
export type HistogramQuery = Static<typeof HistogramQuerySchema>;

/** Start times of the matching traces. */
export const HistogramSchema = Type.Object({
  total: Type.Integer({ description: "Traces in all buckets." }),
  bucket_ms: Nullable(
    Type.Integer(),
    "Length of a bucket: the shortest round duration of at least one second that needs no more than `buckets`; null if there is no bucket.",
  ),
  buckets: Type.Array(
    Type.Object({
      start: Type.String({ description: "RFC 3339." }),
      traces: Type.Integer({ description: "Traces that started in the bucket." }),
      errors: Type.Integer({ description: "Traces with status `ERROR`, out of `traces`." }),
    }),
    {
      description: "Without gaps, from `since` to `until`, or from the earliest to the latest start.",
    },
  ),
});
export type Histogram = Static<typeof HistogramSchema>;
