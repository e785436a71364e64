import { Type, type Static } from "typebox";
import { GROUP_KEYS, GROUP_LIMITS } from "./group-keys.js";
import { CostSourceOfSumSchema, TraceFilterSchema } from "./trace.js";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** The query of `GET /v1/groups` (contract 9). */
export const GroupsQuerySchema = Type.Object({
  ...TraceFilterSchema.properties,
  by: Type.String({
    minLength: 1,
    description: `What the traces are grouped by: ${GROUP_KEYS.map((key) => `\`${key}\``).join(", ")}, or an attribute of their spans, such as \`@customer.tier\`.`,
  }),
  contains: Type.Optional(
    Type.String({ description: "Only values that contain this text, in any letter case.", minLength: 1 }),
  ),
  order: Type.Optional(
    Type.Union(
      [
        Type.Literal("runs"),
        Type.Literal("errors"),
        Type.Literal("p50"),
        Type.Literal("p95"),
        Type.Literal("ttft"),
        Type.Literal("tokens"),
        Type.Literal("cost"),
        Type.Literal("cost_per_run"),
        Type.Literal("value"),
      ],
      {
        description:
          "What ranks the groups, the highest first: `errors` is the share of errors, `value` the value in alphabetical order. Default: `runs`.",
      },
    ),
  ),
});
export type GroupsQuery = Static<typeof GroupsQuerySchema>;

/** The traces of one value. */
export const TraceGroupSchema = Type.Object({
  value: Nullable(
    Type.String(),
    `Null for the traces without a value. A longer value of an attribute is cut to ${GROUP_LIMITS.valueCharacters} characters.`,
  ),
  runs: Type.Integer({ description: "Traces. A trace with several values is in several groups." }),
  error_ratio: Type.Number({ description: "Share of the traces with status `ERROR`." }),
  p50_ms: Type.Number({ description: "Percentiles of the durations, by nearest rank." }),
  p95_ms: Type.Number(),
  ttft_p50_ms: Nullable(Type.Number(), "Null if no trace has a time to first token."),
  tokens_input: Type.Integer(),
  tokens_output: Type.Integer(),
  cost_usd: Type.Number(),
  cost_per_run_usd: Type.Number(),
  cost_source: CostSourceOfSumSchema,
  scores: Type.Array(Type.Object({ type: Type.String(), mean: Type.Number(), count: Type.Integer() }), {
    description: "Mean of the latest scores of each type, at most 20 types.",
  }),
});
export type TraceGroup = Static<typeof TraceGroupSchema>;

export const TraceGroupsSchema = Type.Object({
  groups: Type.Array(TraceGroupSchema, { description: "In the order of the query, at most 200." }),
  other: Type.Union(
    [
      Type.Object({
        groups: Type.Integer(),
        runs: Type.Integer(),
        cost_usd: Type.Number(),
        cost_source: CostSourceOfSumSchema,
      }),
      Type.Null(),
    ],
    {
      description:
        "The groups that are left out; null if there are none. Values that take more than 16 MiB together are not told apart: what is over counts as one group.",
    },
  ),
  unread: Type.Integer({
    description:
      "Matching traces that are in no group, because the spans with the attribute are more than 256 MiB: the newest traces are read first. 0 for other keys.",
  }),
});
export type TraceGroups = Static<typeof TraceGroupsSchema>;
