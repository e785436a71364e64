import { Type, type Static } from "typebox";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** What fills the context window of a model call, in the order of a request. `unknown` is what no recorded text explains. */
export const CONTEXT_PART_KINDS = [
  "tools",
  "system",
  "memory",
  "retrieved",
  "user",
  "assistant",
  "images",
  "results",
  "unknown",
] as const;
export type ContextPartKind = (typeof CONTEXT_PART_KINDS)[number];

/** Why a prompt cache was not read. */
export const CACHE_BREAK_CAUSES = [
  "tool_list",
  "timestamp",
  "id",
  "number",
  "system_prompt",
  "memory",
  "retrieved",
  "history",
  "expired",
  "unknown",
] as const;
export type CacheBreakCause = (typeof CACHE_BREAK_CAUSES)[number];

const kindSchema = (description: string) =>
  Type.Unsafe<ContextPartKind>({ type: "string", enum: [...CONTEXT_PART_KINDS], description });
const CauseSchema = Type.Unsafe<CacheBreakCause>({
  type: "string",
  enum: [...CACHE_BREAK_CAUSES],
  description: "What differs from the compared call; `expired` and `unknown` if the texts are equal.",
});

const ContextPartSchema = Type.Object({
  kind: kindSchema("`tools` are tool definitions, `results` results of tools, `images` images and files."),
  tokens: Type.Integer({ description: "Estimated. The parts add up to the input tokens of the call." }),
  items: Type.Integer({
    description: "Definitions, lines of the system prompt, messages, documents, images or results.",
  }),
  equal_items: Type.Integer({ description: "Items of the largest group with the same text; 0 without one." }),
  detail: Nullable(Type.String(), "The name of a document or a memory, or the size of an image."),
});
export type ContextPart = Static<typeof ContextPartSchema>;

const ContextCallSchema = Type.Object({
  span_id: Type.String(),
  name: Type.String(),
  call: Type.Integer({ description: "Position among the calls of the agent, starting at 1." }),
  start_ms: Type.Number({ description: "Milliseconds from the start of the trace." }),
  running: Type.Boolean(),
  tokens: Type.Integer({ description: "Input tokens." }),
  tokens_reported: Type.Boolean({ description: "False if the tokens are estimated from the text." }),
  tokens_cached: Nullable(Type.Integer(), "Input tokens read from the prompt cache; null if not reported."),
  tokens_again: Nullable(
    Type.Integer(),
    "Estimated input tokens that a call before had sent and that were billed again; null if not known.",
  ),
  again_cost_usd: Nullable(
    Type.Number(),
    "What `tokens_again` cost more than tokens that are read from the cache; null without a price.",
  ),
  cause: Type.Union([CauseSchema, Type.Null()]),
  cost_usd: Nullable(Type.Number(), "As reported, or computed by a collector."),
  cost_source: Nullable(
    Type.Union([Type.Literal("reported"), Type.Literal("computed")]),
    "Where `cost_usd` comes from; null without a cost.",
  ),
  ttft_ms: Nullable(Type.Number(), "Time to first token."),
});
export type ContextCall = Static<typeof ContextCallSchema>;

const DiffLineSchema = Type.Object({
  type: Type.Union([Type.Literal("same"), Type.Literal("removed"), Type.Literal("added")]),
  number: Nullable(Type.Integer(), "Line in its text, starting at 1."),
  text: Type.String({ description: "At most 240 characters." }),
  changed: Type.Array(Type.Integer(), {
    description: "Start and end of what differs, in UTF-16 units; empty if all of it does.",
  }),
});
export type ContextDiffLine = Static<typeof DiffLineSchema>;

const ModelPricesSchema = Type.Object(
  {
    input_per_1m: Type.Number(),
    cached_input_per_1m: Type.Number(),
    cache_write_per_1m: Type.Number(),
    output_per_1m: Type.Number(),
    reasoning_per_1m: Type.Number(),
  },
  { description: "USD per million tokens." },
);
export type ModelPrices = Static<typeof ModelPricesSchema>;

const CacheBreakSchema = Type.Object({
  cause: CauseSchema,
  compared_with: Type.String({ description: "Id of the call before with the most text in common." }),
  at_token: Type.Integer({ description: "Estimated position of the first change." }),
  part: kindSchema("Where the first change is."),
  lines: Type.Array(DiffLineSchema, { description: "The first change; empty if the texts are equal." }),
  tokens_again: Type.Integer(),
  price_per_1m_usd: Nullable(
    Type.Number(),
    "What a token of input costs more than one that is read from the cache; null without a price.",
  ),
  cost_usd: Nullable(Type.Number(), "`tokens_again` at that price."),
  gap_ms: Type.Number({ description: "From the end of the compared call to the start of this one." }),
  ttft_delta_ms: Nullable(
    Type.Number(),
    "Time to first token against the median of the agent's calls that read from the cache.",
  ),
});
export type CacheBreak = Static<typeof CacheBreakSchema>;

const DuplicateSchema = Type.Object({
  kind: kindSchema("What is repeated."),
  name: Type.String({ description: "The tool, the document, or the first words." }),
  tokens_each: Type.Integer({ description: "Estimated." }),
  times: Type.Integer(),
  messages: Type.Array(Type.Integer(), {
    description: "Positions of the messages with it, starting at 1; the first 10.",
  }),
  call_ids: Type.Array(Type.String(), {
    description: "Ids of the tool calls with this result; the first 10.",
  }),
  is_exact: Type.Boolean({ description: "False if the texts are equal only in nine tenths of their words." }),
  tokens_again: Type.Integer({ description: "Estimated tokens of all but the first." }),
  cost_usd: Nullable(Type.Number(), "What these cost in this call; null without a price."),
});
export type ContextDuplicate = Static<typeof DuplicateSchema>;

/** What fills the context window of one model call, beside the other calls of its agent (contract 9). */
export const CallContextSchema = Type.Object(
  {
    span_id: Type.String(),
    model: Nullable(Type.String(), "As reported."),
    agent: Nullable(Type.String(), "The agent that called; null outside of agents."),
    call: Type.Integer({ description: "Position among the calls of the agent, starting at 1." }),
    calls_total: Type.Integer({ description: "Model calls of the agent in this trace." }),
    window_tokens: Nullable(Type.Integer(), "Context window of the model; null if it is not known."),
    prices: Nullable(ModelPricesSchema, "Prices of the model; null if they are not known."),
    tokens: Type.Integer({ description: "Input tokens." }),
    tokens_reported: Type.Boolean({ description: "False if the tokens are estimated from the text." }),
    tokens_cached: Nullable(Type.Integer(), "Input tokens read from the prompt cache; null if not reported."),
    parts: Type.Array(ContextPartSchema, { description: "In the order of a request, without empty parts." }),
    calls: Type.Array(ContextCallSchema, {
      description: "The calls of the agent, in order of start; at most 200, those nearest to this call.",
    }),
    compared_with: Nullable(
      Type.String(),
      "Id of the call before with the most text in common; null for the first call of a conversation.",
    ),
    cache_break: Type.Union([CacheBreakSchema, Type.Null()], {
      description: "Why the prompt cache was not read as far as it could have been.",
    }),
    duplicates: Type.Array(DuplicateSchema, {
      description: "Texts of 200 tokens or more that the context contains several times; at most 50.",
    }),
  },
  { $id: "CallContext" },
);
export type CallContext = Static<typeof CallContextSchema>;
