import Type, { type Static } from "typebox";

/** What `GET /v1/stats` can group by, as the labels of the metrics are called; `tool` is short for `tool_name`. */
export const STATS_GROUPS = [
  "model",
  "agent",
  "service",
  "provider",
  "tool_name",
  "tool",
  "env",
  "tenant",
  "span_type",
  "evaluation_type",
] as const;
export type StatsGroup = (typeof STATS_GROUPS)[number];

const Filter = (what: string) =>
  Type.Optional(Type.String({ description: `Only ${what}; empty: those without one.` }));

/** The query of `GET /v1/stats`. */
export const StatsQuerySchema = Type.Object({
  window: Type.Optional(
    Type.String({
      description:
        "How far back: seconds, or a number with `s`, `m`, `h` or `d`. At most 24 h. Default: `1h`.",
    }),
  ),
  step: Type.Optional(
    Type.String({
      description:
        "Length of a point, written as `window`: whole tens of seconds in a window up to 1 h, whole minutes beyond. " +
        "Default: so that there are 30 to 75 points.",
    }),
  ),
  group_by: Type.Optional(Type.Enum([...STATS_GROUPS], { description: "Default: the total alone." })),
  groups: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 10,
      description: "Most groups; the others are summed up under `__other__`.",
    }),
  ),
  service: Filter("spans of this service"),
  env: Filter("spans of this environment"),
  tenant: Type.Optional(
    Type.String({
      description:
        "Only spans of this tenant; empty: those without one. Default where the collector is multi-tenant: the tenant header, else every tenant.",
    }),
  ),
  span_type: Filter("spans of this type"),
  model: Filter("spans of this model"),
  provider: Filter("spans of this provider"),
  tool_name: Filter("spans of this tool"),
  tool: Filter("the same"),
  agent: Filter("spans of this agent"),
  evaluation_type: Filter("scores of this type"),
});
export type StatsQuery = Static<typeof StatsQuerySchema>;

const Figure = Type.Union([Type.Number(), Type.Null()]);

/** The same figures as one value each, and as one value for each point. */
function figures<T extends Type.TSchema, F extends Type.TSchema>(count: T, figure: F) {
  const percentiles = (what: string) =>
    Type.Object({ p50: figure, p95: figure, p99: figure }, { description: what });
  return {
    spans: Type.Unsafe<Static<T>>({ ...count, description: "Spans that ended, of any type." }),
    calls: Type.Unsafe<Static<T>>({ ...count, description: "Model calls, as `obs_llm_calls_total`." }),
    call_errors: Type.Unsafe<Static<T>>({ ...count, description: "Model calls with status ERROR." }),
    tool_calls: Type.Unsafe<Static<T>>({ ...count, description: "Tool calls, as `obs_tool_calls_total`." }),
    tool_errors: Type.Unsafe<Static<T>>({ ...count, description: "Tool calls with status ERROR." }),
    errors: Type.Record(Type.String(), count, {
      description: "By category, as `obs_errors_total`; categories without an error are left out.",
    }),
    duration_ms: percentiles("Of all spans that are chosen, from the buckets of `obs_duration_seconds`."),
    ttft_ms: percentiles("From the buckets of `obs_ttft_seconds`."),
    tokens_input: Type.Unsafe<Static<T>>({ ...count, description: "Cached ones included." }),
    tokens_output: count,
    tokens_cached: count,
    cost_usd: count,
    tokens_per_second: Type.Unsafe<Static<F>>({
      ...figure,
      description: "Output tokens by the seconds of the calls that made them.",
    }),
    scores: Type.Unsafe<Static<T>>({ ...count, description: "Evaluations with a score." }),
    score_mean: figure,
  };
}

/** Figures of a whole window, or of one point. */
export const StatsFiguresSchema = Type.Object(figures(Type.Number(), Figure), { $id: "StatsFigures" });
export type StatsFigures = Static<typeof StatsFiguresSchema>;

/** Figures over time, a value for each point. */
export const StatsSeriesSchema = Type.Object(figures(Type.Array(Type.Number()), Type.Array(Figure)), {
  $id: "StatsSeries",
});
export type StatsSeries = Static<typeof StatsSeriesSchema>;

const Labels = Type.Record(Type.String(), Type.String());

/** A family of the pipeline's own over time. */
export const PipelineSeriesSchema = Type.Object(
  {
    name: Type.String({ description: "Of the metric, such as `obs_spans_dropped_total`." }),
    labels: Labels,
    type: Type.Union([Type.Literal("counter"), Type.Literal("gauge")]),
    total: Type.Number({
      description: "Of a counter what was added in the window; of a gauge its largest value.",
    }),
    values: Type.Array(Type.Number(), { description: "The same of each point." }),
  },
  { $id: "PipelineSeries" },
);
export type PipelineSeries = Static<typeof PipelineSeriesSchema>;

/** The answer of `GET /v1/stats`. */
export const StatsSchema = Type.Object(
  {
    window_seconds: Type.Integer(),
    step_seconds: Type.Integer(),
    start: Type.String({
      description: "RFC 3339: when the first point begins. Points begin at whole steps.",
    }),
    end: Type.String({ description: "RFC 3339: now. The last point is not over yet." }),
    points: Type.Integer(),
    kept_since: Type.String({
      description:
        "RFC 3339: nothing before this is known: the collector was not there, or had no room for it.",
    }),
    group_by: Type.Union([Type.String(), Type.Null()]),
    total: Type.Object({ window: StatsFiguresSchema, series: StatsSeriesSchema }),
    groups: Type.Array(
      Type.Object({
        value: Type.String({ description: "Of the label; empty: the spans that have none." }),
        window: StatsFiguresSchema,
        series: StatsSeriesSchema,
      }),
      { description: "Those with the most calls first; the sum of the others, `__other__`, last." },
    ),
    merged_groups: Type.Integer({ description: "Groups that were summed up under `__other__`." }),
    pipeline: Type.Array(PipelineSeriesSchema, {
      description:
        "The pipeline's own counters and gauges, whatever the filters; those that never moved are left out.",
    }),
  },
  { $id: "Stats" },
);
export type Stats = Static<typeof StatsSchema>;

/** The newest point of `GET /v1/stats` (contract 3, `GET /v1/live`). */
export const LiveMetricsSchema = Type.Object(
  {
    start: Type.String({ description: "RFC 3339: when the point began." }),
    step_seconds: Type.Integer(),
    elapsed_seconds: Type.Number({ description: "How much of the point is over." }),
    total: StatsFiguresSchema,
    pipeline: Type.Array(
      Type.Object({
        name: Type.String(),
        labels: Labels,
        type: Type.Union([Type.Literal("counter"), Type.Literal("gauge")]),
        value: Type.Number({ description: "As it stands: of a counter, since the start of the collector." }),
      }),
    ),
  },
  { $id: "LiveMetrics" },
);
export type LiveMetrics = Static<typeof LiveMetricsSchema>;
