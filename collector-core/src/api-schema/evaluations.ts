import { Type, type Static } from "typebox";
import { EVALUATION_DIRECTIONS, MAX_TYPES_PER_SPAN } from "./evaluation-types.js";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const [Maximize, Minimize, Neutral] = EVALUATION_DIRECTIONS;
const Direction = Type.Union([Type.Literal(Maximize), Type.Literal(Minimize), Type.Literal(Neutral)], {
  description: "Whether a higher or a lower score is better.",
});

/** A finished evaluation: its evaluation span, and labels of the evaluated span. */
export const EvaluationSchema = Type.Object(
  {
    trace_id: Type.String(),
    tenant: Type.String({ description: "Empty if multi-tenancy is off." }),
    span_id: Type.String({ description: "Id of the evaluation span." }),
    evaluated_span_id: Nullable(Type.String(), "Null if the score is for the whole trace."),
    type: Type.String({ description: "The type as requested: `relevance`, `contains:refund`." }),
    score: Nullable(Type.Number({ minimum: 0, maximum: 1 }), "Null if the evaluation failed."),
    label: Nullable(Type.String(), "The label that the judge gave."),
    explanation: Nullable(
      Type.String(),
      "The explanation of the judge, the comment of a user, or the reason of a failure.",
    ),
    direction: Direction,
    past_threshold: Type.Boolean({
      description: "True if the score is past the threshold of its type, which means bad.",
    }),
    outcome: Type.String({ description: "`completed`, `timeout`, `error` or `malformed`." }),
    source: Type.String({ description: "`judge`, `check` (no judge was called), or `user`." }),
    service: Type.String(),
    env: Type.String(),
    model: Nullable(Type.String(), "Model of the evaluated span."),
    agent: Nullable(Type.String(), "Agent of the evaluated span."),
    time: Type.String({ description: "RFC 3339: the end of the evaluation." }),
    duration_ms: Nullable(Type.Number(), "Latency of the judge."),
    judge_model: Nullable(Type.String(), "Null if no judge was called."),
    cost_usd: Nullable(Type.Number(), "Cost of the judge, if the price of its model is known."),
  },
  { $id: "Evaluation" },
);
export type Evaluation = Static<typeof EvaluationSchema>;

const Filters = {
  type: Type.Optional(
    Type.String({
      description: "Only these types, separated by commas; `contains` matches every `contains:…`.",
    }),
  ),
  model: Type.Optional(Type.String({ description: "Only evaluations of this model." })),
  agent: Type.Optional(Type.String()),
  service: Type.Optional(Type.String()),
  tenant: Type.Optional(
    Type.String({
      description: "Only this tenant. Default: the tenant header if multi-tenancy is on, else every tenant.",
    }),
  ),
  since: Type.Optional(
    Type.String({ description: "Ended at this time or later: RFC 3339, or Unix epoch milliseconds." }),
  ),
  until: Type.Optional(Type.String({ description: "Ended before this time." })),
};

/** The query of `GET /v1/evaluations`. */
export const EvaluationQuerySchema = Type.Object({
  ...Filters,
  trace_id: Type.Optional(Type.String({ description: "Only evaluations of this trace." })),
  span_id: Type.Optional(Type.String({ description: "Only evaluations of this span." })),
  min_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  max_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  past_threshold: Type.Optional(
    Type.Boolean({ description: "true: only scores past their threshold; false: only others." }),
  ),
  outcome: Type.Optional(
    Type.String({
      description: "`completed`, `timeout`, `error` or `malformed`; several are separated by commas.",
    }),
  ),
  source: Type.Optional(Type.String({ description: "`judge`, `check` or `user`." })),
  order: Type.Optional(
    Type.Union([Type.Literal("newest"), Type.Literal("worst")], {
      default: "newest",
      description: "`worst`: the scores farthest from the best score of their type.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: "Results per page." }),
  ),
  cursor: Type.Optional(Type.String({ description: "`next_cursor` of the previous page." })),
});
export type EvaluationQuery = Static<typeof EvaluationQuerySchema>;

/** An evaluation in a list, with the evaluated text. */
export const ListedEvaluationSchema = Type.Object({
  ...EvaluationSchema.properties,
  trace_name: Nullable(Type.String(), "Name of the root span; null if the trace is no longer stored."),
  evaluated_text: Nullable(
    Type.String(),
    "The first 300 characters of the evaluated output; null if there is none, or the trace is no longer stored.",
  ),
});
export type ListedEvaluation = Static<typeof ListedEvaluationSchema>;

export const EvaluationListSchema = Type.Object({
  evaluations: Type.Array(ListedEvaluationSchema),
  next_cursor: Nullable(Type.String(), "Pass it as `cursor` for the next page; null on the last one."),
});
export type EvaluationList = Static<typeof EvaluationListSchema>;

/** The query of `GET /v1/evaluations/summary`. */
export const EvaluationSummaryQuerySchema = Type.Object({
  ...Filters,
  points: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 300, default: 60, description: "Points per series." }),
  ),
});
export type EvaluationSummaryQuery = Static<typeof EvaluationSummaryQuerySchema>;

const Means = Type.Array(
  Type.Object({
    value: Type.String(),
    count: Type.Integer(),
    means: Type.Record(Type.String(), Type.Number(), { description: "Mean score by type." }),
  }),
  { description: "Most evaluations first; at most 50." },
);

/** A summary of the evaluations of a time range. */
export const EvaluationSummarySchema = Type.Object({
  since: Type.String(),
  until: Type.String(),
  oldest: Nullable(Type.String(), "Time of the oldest evaluation kept; the last 20,000 are kept."),
  types: Type.Array(
    Type.Object({
      type: Type.String({ description: "The part before the colon." }),
      direction: Direction,
      threshold: Nullable(Type.Number(), "A score past it is bad; null if the type has none."),
      count: Type.Integer({ description: "Evaluations with a score." }),
      mean: Nullable(Type.Number(), "Null if there is none."),
      past_threshold: Type.Integer(),
      series: Type.Array(Nullable(Type.Number(), "Mean of the point; null if it has no score."), {
        description: "Mean scores, oldest point first.",
      }),
      distribution: Type.Array(Type.Integer(), {
        description: "Number of scores in each tenth: 0 to 0.1, …, 0.9 to 1.",
      }),
    }),
    {
      description:
        "Most evaluations first; at most 50. If there are more types, `__other__` at the end merges the rest.",
    },
  ),
  by_agent: Means,
  by_model: Means,
  outcomes: Type.Object({
    completed: Type.Integer(),
    timeout: Type.Integer(),
    error: Type.Integer(),
    malformed: Type.Integer(),
  }),
  judge: Type.Object({
    calls: Type.Integer(),
    p50_ms: Nullable(Type.Number(), "Null if no judge was called."),
    p95_ms: Nullable(Type.Number(), "Null if no judge was called."),
    cost_usd: Type.Number({ description: "Cost of the calls whose model has a known price." }),
  }),
  deployments: Type.Array(
    Type.Object({ time: Type.String(), service: Type.String(), version: Type.String() }),
    { description: "Times when a new version of a service was first evaluated in this range." },
  ),
  evaluation: Nullable(
    Type.Object({
      offered: Type.Integer(),
      completed: Type.Integer(),
      timeout: Type.Integer(),
      error: Type.Integer(),
      malformed: Type.Integer(),
      dropped: Type.Integer(),
      pending: Type.Integer(),
      judge_model: Type.String(),
      judge_provider: Type.String(),
      types: Type.Array(Type.Object({ name: Type.String(), usage: Type.String(), direction: Direction }), {
        description: "The available types.",
      }),
    }),
    "Counts since the start of the collector, and the available types; null if evaluation is off.",
  ),
});
export type EvaluationSummary = Static<typeof EvaluationSummarySchema>;

/** The body of `POST /v1/evaluations`. */
export const EvaluationRunSchema = Type.Object({
  types: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_TYPES_PER_SPAN }),
  trace_ids: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 1000,
      description: "Traces whose model calls with an output are evaluated.",
    }),
  ),
  spans: Type.Optional(
    Type.Array(Type.Object({ trace_id: Type.String(), span_id: Type.String() }), { maxItems: 1000 }),
  ),
  tenant: Type.Optional(
    Type.String({
      description:
        "Tenant of the traces. Default: the tenant header if multi-tenancy is on. Without either, an id that several tenants have gets 409 ambiguous_trace.",
    }),
  ),
});
export type EvaluationRun = Static<typeof EvaluationRunSchema>;

export const EvaluationRunAnswerSchema = Type.Object({
  status: Type.Literal("accepted"),
  enqueued: Type.Integer({ description: "Enqueued evaluations, one per type and span." }),
  dropped: Type.Integer({ description: "Evaluations dropped because the queue is full." }),
  spans: Type.Integer({ description: "Spans to evaluate." }),
  missing: Type.Integer({ description: "Traces and spans that are not in the trace store." }),
});
export type EvaluationRunAnswer = Static<typeof EvaluationRunAnswerSchema>;
