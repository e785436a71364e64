import Type, { type Static } from "typebox";
import { EVALUATION_DIRECTIONS, MAX_TYPES_PER_SPAN } from "./evaluation-types.js";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const [Maximize, Minimize, Neutral] = EVALUATION_DIRECTIONS;
const Direction = Type.Union([Type.Literal(Maximize), Type.Literal(Minimize), Type.Literal(Neutral)], {
  description: "Which way the score counts.",
});

/** One evaluation that is over: its evaluation span, and what is known of the span that it is about. */
export const EvaluationSchema = Type.Object(
  {
    trace_id: Type.String(),
    tenant: Type.String({ description: "Empty where the collector is not multi-tenant." }),
    span_id: Type.String({ description: "Of the evaluation span." }),
    evaluated_span_id: Nullable(Type.String(), "Null where the score is about the whole trace."),
    type: Type.String({ description: "As it was asked for: `relevance`, `contains:refund`." }),
    score: Nullable(Type.Number({ minimum: 0, maximum: 1 }), "Null where the evaluation failed."),
    label: Nullable(Type.String(), "What the judge called it."),
    explanation: Nullable(Type.String(), "The judge's sentence, a user's comment, or why it failed."),
    direction: Direction,
    past_threshold: Type.Boolean({ description: "The score is past the threshold of its type: bad." }),
    outcome: Type.String({ description: "`completed`, `timeout`, `error` or `malformed`." }),
    source: Type.String({ description: "`judge`, `check` where no judge was asked, or `user`." }),
    service: Type.String(),
    env: Type.String(),
    model: Nullable(Type.String(), "Of the evaluated span, as the agent."),
    agent: Nullable(Type.String(), "Of the evaluated span."),
    time: Type.String({ description: "RFC 3339: when it was over." }),
    duration_ms: Nullable(Type.Number(), "How long the judge took."),
    judge_model: Nullable(Type.String(), "Null where no judge was asked."),
    cost_usd: Nullable(Type.Number(), "Of the judge, where the price of its model is known."),
  },
  { $id: "Evaluation" },
);
export type Evaluation = Static<typeof EvaluationSchema>;

const Filters = {
  type: Type.Optional(
    Type.String({
      description: "Of this type; `contains` is every `contains:…`. Several: separated by commas.",
    }),
  ),
  model: Type.Optional(Type.String({ description: "Of the evaluated span, as `agent`." })),
  agent: Type.Optional(Type.String()),
  service: Type.Optional(Type.String()),
  tenant: Type.Optional(
    Type.String({
      description:
        "Of one tenant. Default where the collector is multi-tenant: the tenant header, else every tenant.",
    }),
  ),
  since: Type.Optional(
    Type.String({ description: "Ended then or later: RFC 3339, or Unix epoch milliseconds." }),
  ),
  until: Type.Optional(Type.String({ description: "Ended earlier than that." })),
};

/** Which evaluations `GET /v1/evaluations` answers. */
export const EvaluationQuerySchema = Type.Object({
  ...Filters,
  trace_id: Type.Optional(Type.String({ description: "Of this trace." })),
  span_id: Type.Optional(Type.String({ description: "About this span." })),
  min_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  max_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  past_threshold: Type.Optional(
    Type.Boolean({ description: "Only those past their threshold, or only others." }),
  ),
  outcome: Type.Optional(
    Type.String({
      description: "`completed`, `timeout`, `error`, `malformed`. Several: separated by commas.",
    }),
  ),
  source: Type.Optional(Type.String({ description: "`judge`, `check` or `user`." })),
  order: Type.Optional(
    Type.Union([Type.Literal("newest"), Type.Literal("worst")], {
      default: "newest",
      description: "`worst`: those with a score that is farthest from the best of its type.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: "Most results a page." }),
  ),
  cursor: Type.Optional(
    Type.String({ description: "`next_cursor` of the page before, to go on from there." }),
  ),
});
export type EvaluationQuery = Static<typeof EvaluationQuerySchema>;

/** An evaluation in a list, with what it is about. */
export const ListedEvaluationSchema = Type.Object({
  ...EvaluationSchema.properties,
  trace_name: Nullable(Type.String(), "The root's name; null where the trace is in the store no more."),
  evaluated_text: Nullable(
    Type.String(),
    "The first 300 characters of the answer that was judged; null where there is none, or its trace is gone.",
  ),
});
export type ListedEvaluation = Static<typeof ListedEvaluationSchema>;

export const EvaluationListSchema = Type.Object({
  evaluations: Type.Array(ListedEvaluationSchema),
  next_cursor: Nullable(Type.String(), "Pass it as `cursor` for the next page; null on the last one."),
});
export type EvaluationList = Static<typeof EvaluationListSchema>;

/** What `GET /v1/evaluations/summary` is asked. */
export const EvaluationSummaryQuerySchema = Type.Object({
  ...Filters,
  points: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 300, default: 60, description: "Points of each series." }),
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

/** What the evaluations of a while say together. */
export const EvaluationSummarySchema = Type.Object({
  since: Type.String(),
  until: Type.String(),
  oldest: Nullable(Type.String(), "The earliest evaluation that is remembered: the last 20,000 are."),
  types: Type.Array(
    Type.Object({
      type: Type.String({ description: "The part before the colon." }),
      direction: Direction,
      threshold: Nullable(Type.Number(), "Past which a score is bad; null where none is."),
      count: Type.Integer({ description: "Evaluations with a score." }),
      mean: Nullable(Type.Number(), "Null where there is none."),
      past_threshold: Type.Integer(),
      series: Type.Array(Nullable(Type.Number(), "Mean of the point."), {
        description: "Mean scores, the oldest point first.",
      }),
      distribution: Type.Array(Type.Integer(), {
        description: "How many scores in each tenth: 0 to 0.1, …, 0.9 to 1.",
      }),
    }),
    {
      description:
        "Most evaluations first; at most 50. Last of all `__other__`: all further types together, where there are more.",
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
    p50_ms: Nullable(Type.Number(), "Null where no judge was asked."),
    p95_ms: Nullable(Type.Number(), "Null where no judge was asked."),
    cost_usd: Type.Number({ description: "Of calls whose model has a known price." }),
  }),
  deployments: Type.Array(
    Type.Object({ time: Type.String(), service: Type.String(), version: Type.String() }),
    { description: "When a version of a service was first evaluated, in this while." },
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
        description: "What can be asked for.",
      }),
    }),
    "What the collector has done since its start, and can do; null where evaluation is off.",
  ),
});
export type EvaluationSummary = Static<typeof EvaluationSummarySchema>;

/** The body of `POST /v1/evaluations`. */
export const EvaluationRunSchema = Type.Object({
  types: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_TYPES_PER_SPAN }),
  trace_ids: Type.Optional(
    Type.Array(Type.String(), { maxItems: 1000, description: "Their model calls that have an answer." }),
  ),
  spans: Type.Optional(
    Type.Array(Type.Object({ trace_id: Type.String(), span_id: Type.String() }), { maxItems: 1000 }),
  ),
  tenant: Type.Optional(
    Type.String({
      description:
        "Whose traces. Default where the collector is multi-tenant: the tenant header. Without either, an id that several tenants have is 409 ambiguous_trace.",
    }),
  ),
});
export type EvaluationRun = Static<typeof EvaluationRunSchema>;

export const EvaluationRunAnswerSchema = Type.Object({
  status: Type.Literal("accepted"),
  enqueued: Type.Integer({ description: "Evaluations: one for each type and span." }),
  dropped: Type.Integer({ description: "Evaluations that the queue had no room for." }),
  spans: Type.Integer({ description: "Spans to be evaluated." }),
  missing: Type.Integer({ description: "Traces and spans that are not in the trace store." }),
});
export type EvaluationRunAnswer = Static<typeof EvaluationRunAnswerSchema>;
