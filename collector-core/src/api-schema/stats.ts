import { Type, type Static } from "typebox";

/** Labels that `GET /v1/stats` can group by. `tool` is short for `tool_name`. */
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

const Filter = (selection: string) =>
  Type.Optional(Type.String({ description: `Only ${selection}; empty: those without one.` }));

/** The query of `GET /v1/stats`. */
export const StatsQuerySchema = Type.Object({
  window: Type.Optional(
    Type.String({
      description:
        "Length of the window: seconds, or a number with `s`, `m`, `h` or `d`. At most 24 h. Default: `1h`.",
    }),
  ),
  step: Type.Optional(
    Type.String({
      description:
        "Length of a step, in the format of `window`: a multiple of 10 s in a window up to 1 h, else of one minute. " +
        "Default: a step that gives 30 to 75 points.",
    }),
  ),
  group_by: Type.Optional(
    Type.Enum([...STATS_GROUPS], { description: "Default: no groups, only the total." }),
  ),
  groups: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 10,
      description: "Maximum number of groups; the rest is merged into `__other__`.",
    }),
  ),
  service: Filter("spans of this service"),
  env: Filter("spans of this environment"),
  tenant: Type.Optional(
    Type.String({
      description:
        "Only spans of this tenant; empty: those without one. Default: the tenant header if multi-tenancy is on, else every tenant.",
    }),
  ),
  span_type: Filter("spans of this type"),
  model: Filter("spans of this model"),
  provider: Filter("spans of this provider"),
  tool_name: Filter("spans of this tool"),
  tool: Filter("spans of this tool; short for `tool_name`"),
  agent: Filter("spans of this agent"),
  evaluation_type: Filter("scores of this type"),
});
export type StatsQuery = Static<typeof StatsQuerySchema>;

const Figure = Type.Union([Type.Number(), Type.Null()]);

/** The fields of a window, with one value each, or of a series, with one value per point. */
function figures<T extends Type.TSchema, F extends Type.TSchema>(count: T, figure: F) {
  const percentiles = (description: string) =>
    Type.Object({ p50: figure, p95: figure, p99: figure }, { description });
  return {
    spans: Type.Unsafe<Static<T>>({ ...count, description: "Spans that ended, of any type." }),
    calls: Type.Unsafe<Static<T>>({ ...count, description: "Model calls, as in `obs_llm_calls_total`." }),
    call_errors: Type.Unsafe<Static<T>>({ ...count, description: "Model calls with status ERROR." }),
    tool_calls: Type.Unsafe<Static<T>>({
      ...count,
      description: "Tool calls, as in `obs_tool_calls_total`.",
    }),
    tool_errors: Type.Unsafe<Static<T>>({ ...count, description: "Tool calls with status ERROR." }),
    errors: Type.Record(Type.String(), count, {
      description: "Errors by category, as in `obs_errors_total`; categories without errors are left out.",
    }),
    duration_ms: percentiles("Durations of the matching spans, with an error of at most 2 %."),
    ttft_ms: percentiles("Time to first token, with an error of at most 2 %."),
    tokens_input: Type.Unsafe<Static<T>>({ ...count, description: "Includes cached tokens." }),
    tokens_output: count,
    tokens_cached: count,
    cost_usd: count,
    computed_cost_usd: Type.Unsafe<Static<T>>({
      ...count,
      description: "The part of `cost_usd` that a collector computed, because the app sent no cost.",
    }),
    tokens_per_second: Type.Unsafe<Static<F>>({
      ...figure,
      description: "Output tokens per second of the calls that produced them.",
    }),
    scores: Type.Unsafe<Static<T>>({ ...count, description: "Evaluations with a score." }),
    score_mean: figure,
  };
}

/** Figures of a window or of one point. */
export const StatsFiguresSchema = Type.Object(figures(Type.Number(), Figure), { $id: "StatsFigures" });
export type StatsFigures = Static<typeof StatsFiguresSchema>;

/** Figures over time, with one value per point. */
export const StatsSeriesSchema = Type.Object(figures(Type.Array(Type.Number()), Type.Array(Figure)), {
  $id: "StatsSeries",
});
export type StatsSeries = Static<typeof StatsSeriesSchema>;

const Labels = Type.Record(Type.String(), Type.String());

/** A pipeline metric over time. */
export const PipelineSeriesSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the metric, such as `obs_spans_dropped_total`." }),
    labels: Labels,
    type: Type.Union([Type.Literal("counter"), Type.Literal("gauge")]),
    total: Type.Number({
      description: "For a counter its increase in the window, for a gauge its maximum.",
    }),
    values: Type.Array(Type.Number(), { description: "The same for each point." }),
  },
  { $id: "PipelineSeries" },
);
export type PipelineSeries = Static<typeof PipelineSeriesSchema>;

/** The response of `GET /v1/stats`. */
export const StatsSchema = Type.Object(
  {
    window_seconds: Type.Integer(),
    step_seconds: Type.Integer(),
    start: Type.String({
      description: "RFC 3339: start of the first point. Points are aligned to the step.",
    }),
    end: Type.String({ description: "RFC 3339: now. The last point is incomplete." }),
    points: Type.Integer(),
    kept_since: Type.String({
      description:
        "RFC 3339: earlier statistics do not exist: the collector was not running, or has evicted them.",
    }),
    group_by: Type.Union([Type.String(), Type.Null()]),
    total: Type.Object({ window: StatsFiguresSchema, series: StatsSeriesSchema }),
    groups: Type.Array(
      Type.Object({
        value: Type.String({ description: "Value of the label; empty: spans without one." }),
        window: StatsFiguresSchema,
        series: StatsSeriesSchema,
      }),
      { description: "Most calls first; `__other__`, the sum of the rest, last." },
    ),
    merged_groups: Type.Integer({ description: "Groups merged into `__other__`." }),
    pipeline: Type.Array(PipelineSeriesSchema, {
      description:
        "Counters and gauges of the pipeline, regardless of the filters. Metrics that never changed are left out.",
    }),
  },
  { $id: "Stats" },
);
export type Stats = Static<typeof StatsSchema>;

/** The newest point of `GET /v1/stats` (contract 3, `GET /v1/live`). */
export const LiveMetricsSchema = Type.Object(
  {
    start: Type.String({ description: "RFC 3339: start of the point." }),
    step_seconds: Type.Integer(),
    elapsed_seconds: Type.Number({ description: "Elapsed part of the point." }),
    total: StatsFiguresSchema,
    pipeline: Type.Array(
      Type.Object({
        name: Type.String(),
        labels: Labels,
        type: Type.Union([Type.Literal("counter"), Type.Literal("gauge")]),
        value: Type.Number({
          description: "Current value; for a counter, the total since the start of the collector.",
        }),
      }),
    ),
  },
  { $id: "LiveMetrics" },
);
export type LiveMetrics = Static<typeof LiveMetricsSchema>;
