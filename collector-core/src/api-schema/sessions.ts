import { Type, type Static } from "typebox";
import { FEEDBACK_TYPE } from "./evaluation-types.js";
import { CostSourceOfSumSchema, ScoreSchema, TraceFilterSchema, TraceSummarySchema } from "./trace.js";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** The last traces of a session that {@link SessionSummarySchema} has. */
export const MAX_TURNS = 10;

/** A session: the traces of one tenant with one `session_id` (contract 9). */
export const SessionSummarySchema = Type.Object(
  {
    session_id: Type.String(),
    tenant: Type.String({ description: "Empty if multi-tenancy is off." }),
    user_id: Nullable(Type.String(), "The first user that a trace names, in order of arrival."),
    first_input_preview: Nullable(
      Type.String(),
      "The first 200 characters of the first input, in order of start.",
    ),
    last_output_preview: Nullable(Type.String(), "The first 200 characters of the output of the last trace."),
    last_error_type: Nullable(Type.String(), "Category of the error of the last trace, if it failed."),
    traces: Type.Integer({ description: "Stored traces." }),
    agents: Type.Array(Type.String(), { description: "The first 20 agents, in order of arrival." }),
    models: Type.Array(Type.String(), { description: "The first 20 models, in order of arrival." }),
    start_time: Type.String({ description: "RFC 3339: the start of the first trace." }),
    last_time: Type.String({ description: "RFC 3339: the latest end of a trace." }),
    active_ms: Type.Number({ description: "The durations of all traces together." }),
    tokens_input: Type.Integer(),
    tokens_output: Type.Integer(),
    cost_usd: Type.Number(),
    cost_source: CostSourceOfSumSchema,
    errors: Type.Integer({ description: "Failed spans, not counting errors that came from a child." }),
    scores: Type.Array(ScoreSchema, {
      description: "The worst score of each type, at most 20 types, without those of users.",
    }),
    worst_score: Type.Union(
      [
        Type.Object({
          ...ScoreSchema.properties,
          trace_id: Type.String({ description: "The trace that has it." }),
        }),
        Type.Null(),
      ],
      { description: "The score that is furthest past its threshold, or closest to it." },
    ),
    feedback: Type.Object(
      { up: Type.Integer(), down: Type.Integer() },
      { description: `Traces by their latest score of type \`${FEEDBACK_TYPE}\`: from 0.5 on, and below.` },
    ),
    running: Type.Boolean({ description: "True if a trace is running." }),
    turns: Type.Array(
      Type.Object({ trace_id: Type.String(), duration_ms: Type.Number(), status: Type.String() }),
      { description: `The last ${MAX_TURNS} traces, in order of start.` },
    ),
  },
  { $id: "SessionSummary" },
);
export type SessionSummary = Static<typeof SessionSummarySchema>;

/** Orders of a list of sessions. */
export const SessionOrderSchema = Type.Union(
  [Type.Literal("newest"), Type.Literal("slowest"), Type.Literal("costliest")],
  {
    default: "newest",
    description:
      "`newest`: by `last_time`, the latest first. `slowest`: by `active_ms`. `costliest`: by `cost_usd`. Later pages leave " +
      "out traces that arrived after the first page.",
  },
);
export type SessionOrder = Static<typeof SessionOrderSchema>;

export const SessionQuerySchema = Type.Object({
  ...TraceFilterSchema.properties,
  query: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "As of `GET /v1/traces`, and with conditions on whole sessions: `state:running`, `feedback:down`, `turns:>5`, `session_cost:>0.10`.",
    }),
  ),
  order: Type.Optional(SessionOrderSchema),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: "Results per page." }),
  ),
  cursor: Type.Optional(Type.String({ description: "`next_cursor` of the previous page." })),
});
export type SessionQuery = Static<typeof SessionQuerySchema>;

export const SessionListSchema = Type.Object({
  sessions: Type.Array(SessionSummarySchema, {
    description: "Sessions with a matching trace. Their figures are of all their traces.",
  }),
  next_cursor: Nullable(Type.String(), "Pass it as `cursor` for the next page; null on the last one."),
});
export type SessionList = Static<typeof SessionListSchema>;

/** Orders of the traces of a session. */
export const TurnOrderSchema = Type.Union([Type.Literal("oldest"), Type.Literal("newest")], {
  default: "oldest",
  description: "By start, ties by arrival: the first trace first, or the last.",
});
export type TurnOrder = Static<typeof TurnOrderSchema>;

/** Which traces of a session are asked for. */
export const SessionTracesQuerySchema = Type.Object({
  order: Type.Optional(TurnOrderSchema),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: "Traces per page." }),
  ),
  cursor: Type.Optional(Type.String({ description: "`next_cursor` of the previous page." })),
});
export type SessionTracesQuery = Static<typeof SessionTracesQuerySchema>;

export const SessionDetailSchema = Type.Object({
  session: SessionSummarySchema,
  traces: Type.Array(TraceSummarySchema),
  next_cursor: Nullable(Type.String(), "Pass it as `cursor` for the next page; null on the last one."),
});
export type SessionDetail = Static<typeof SessionDetailSchema>;
