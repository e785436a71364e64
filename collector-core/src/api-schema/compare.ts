import { Type, type Static } from "typebox";
import { TraceSummarySchema } from "./trace.js";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const DeltaFields = {
  a: Nullable(Type.Number(), "Null if A does not have the figure."),
  b: Nullable(Type.Number(), "Null if B does not have the figure."),
  delta: Nullable(Type.Number(), "B minus A; null if one of them does not have the figure."),
};
export const DeltaSchema = Type.Object(DeltaFields);

const ComparedStepSchema = Type.Object({
  span_id: Type.String(),
  source_span_ids: Type.Array(Type.String(), {
    description:
      "The spans with the texts of the step: its own, and of a model call its wrappers, from inside.",
  }),
  number: Type.Integer({ description: "The number of the step in its trace, by start; the first is 1." }),
  name: Type.String({ description: "Name of the tool, of the agent, or of the span." }),
  hint: Nullable(Type.String(), "What tells steps of the same name apart."),
  span_type: Type.String(),
  status: Type.String(),
  agent: Nullable(Type.String(), "Agent around the step."),
  model: Nullable(Type.String(), "Model of the call."),
  level: Type.Integer({ description: "Steps around it." }),
  start_ms: Type.Number({ description: "Milliseconds from the start of the trace." }),
  error: Nullable(Type.String(), "The first 200 characters of the error."),
  cost_source: Nullable(
    Type.Union([Type.Literal("reported"), Type.Literal("computed")]),
    "Whether the sender reported the cost of a model call, or a collector computed it; null without a cost.",
  ),
});

/** What can differ between two steps. */
export const StepDifferenceSchema = Type.Union([
  Type.Literal("name"),
  Type.Literal("error"),
  Type.Literal("model"),
  Type.Literal("parameters"),
  Type.Literal("system"),
  Type.Literal("tools"),
  Type.Literal("input"),
  Type.Literal("output"),
]);
export type StepDifference = Static<typeof StepDifferenceSchema>;

export const StepPairSchema = Type.Object({
  a: Nullable(ComparedStepSchema, "Null if only B has the step."),
  b: Nullable(ComparedStepSchema, "Null if only A has the step."),
  matched_by: Nullable(
    Type.Union([Type.Literal("content"), Type.Literal("name"), Type.Literal("position")]),
    "`content`: the same tool with the same arguments, or the same model call with the same answer. `name`: the same name " +
      "and agent. `position`: model calls in the same place. Null if only one trace has the step.",
  ),
  differences: Type.Array(StepDifferenceSchema, {
    description:
      "What differs: the error, the model, the settings, the instructions, the tools on offer, the input (arguments, " +
      "messages), the output. Empty if only one trace has the step.",
  }),
  changed_share: Nullable(
    Type.Number({ minimum: 0, maximum: 1 }),
    "Words of both outputs that differ; null if they are equal, have no text, or are too long.",
  ),
  duration_ms: DeltaSchema,
  ttft_ms: DeltaSchema,
  tokens_input: DeltaSchema,
  tokens_output: DeltaSchema,
  tokens_cached: DeltaSchema,
  cost_usd: DeltaSchema,
});
export type StepPairAnswer = Static<typeof StepPairSchema>;
export type ComparedStepAnswer = Static<typeof ComparedStepSchema>;

/** Two traces beside each other (contract 9). */
export const TraceComparisonSchema = Type.Object({
  a: TraceSummarySchema,
  b: TraceSummarySchema,
  deltas: Type.Object({
    duration_ms: DeltaSchema,
    ttft_ms: DeltaSchema,
    tokens_input: DeltaSchema,
    tokens_output: DeltaSchema,
    cost_usd: DeltaSchema,
    errors: DeltaSchema,
  }),
  scores: Type.Array(Type.Object({ type: Type.String(), ...DeltaFields }), {
    description: "Types of which a trace has a score, those of both traces first.",
  }),
  first_divergence: Nullable(
    Type.Integer(),
    "Index of the first step whose input or result differs, or that one trace does not have; null if there is none.",
  ),
  has_all_texts: Type.Boolean({
    description:
      "False if the traces have too much text to compare: steps without `differences` may then differ in their texts.",
  }),
  steps: Type.Array(StepPairSchema, {
    description: "Every step of both traces once, in the order of both.",
  }),
});
export type TraceComparison = Static<typeof TraceComparisonSchema>;
export type FigureDelta = Static<typeof DeltaSchema>;

export const CompareQuerySchema = Type.Object({
  a: Type.String({ description: "Id of the first trace, such as an earlier run." }),
  b: Type.String({ description: "Id of the second trace." }),
  tenant: Type.Optional(
    Type.String({
      description:
        "Tenant of both traces. Default: the tenant header if multi-tenancy is on. Without either, an id that several " +
        "tenants have gets 409 ambiguous_trace.",
    }),
  ),
  tenant_b: Type.Optional(Type.String({ description: "Tenant of the second trace, if it is another one." })),
});
export type CompareQuery = Static<typeof CompareQuerySchema>;
