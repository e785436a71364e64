import {
  CAPPED_LABELS,
  METRIC_FAMILIES,
  metricLabelNames,
  SCORE_BUCKETS,
  type CappedLabel,
  type MetricFamilyDefinition,
  type MetricFamilyName,
} from "../../api-schema/metrics.js";
import type { EvaluationOutcome } from "../../api-schema/evaluation-types.js";
import type { BatchContext, SpanFacts } from "../../span/span-facts.js";
import { LabelValues } from "./label-values.js";
import {
  readFamily,
  SeriesBudget,
  SeriesFamily,
  type ExposedFamily,
  type MetricSource,
} from "./series-family.js";
import { exemplarOf, type Exemplar } from "./exemplar.js";
import {
  CounterSeries,
  histogramShape,
  HistogramSeries,
  sample,
  type Labels,
  type MetricSample,
  type Series,
} from "./series.js";
import { SpanSeriesCache, type SpanSeries } from "./span-series.js";
import { countScore, countSpan, type SpanStats } from "../stats/span-stats.js";

/** Options of {@link createSpanMetrics} (spec 2.6 and 8, contract 5). */
export interface SpanMetricsOptions {
  /** Bucket bounds in seconds, ascending: `histograms.duration_buckets`. */
  readonly durationBuckets: readonly number[];
  /** Bucket bounds, ascending: `histograms.tokens_buckets`. */
  readonly tokensBuckets: readonly number[];
  /** Maximum length of a label value in code points: `limits.max_label_value_length`. */
  readonly maxLabelValueLength: number;
  /** Maximum label tuples over all span families, including the overflow tuples: `limits.max_series`. */
  readonly maxSeries: number;
  /** Maximum distinct values of each label: `limits.cardinality_…`. */
  readonly caps: Readonly<Record<CappedLabel, number>>;
  /** `multi_tenant.enabled`: adds the tenant label to every family. Default: false. */
  readonly isMultiTenant?: boolean;
  /** `exemplars.enabled`. Default: false. */
  readonly hasExemplars?: boolean;
  /** Statistics over time (`GET /v1/stats`). */
  readonly stats?: SpanStats;
}

/** Metrics derived from all spans, sampled or not (spec 4.7). */
export interface SpanMetrics extends MetricSource {
  /**
   * Records a span in every family that applies to it. Ignores a running span.
   *
   * @param countsUsage - false for a wrapper that repeats the usage of the inference inside it (contract 6).
   * @param isSampled - true when the trace is stored, so that an exemplar can refer to it (spec 4.9 rule 1). Default:
   * false.
   */
  record(facts: SpanFacts, context: BatchContext, countsUsage: boolean, isSampled?: boolean): void;
  /** Records only the score of an evaluation span that the collector created. */
  recordEvaluation(facts: SpanFacts, context: BatchContext): void;
  /** Counts finished evaluations. */
  countEvaluations(
    typeName: string,
    outcome: EvaluationOutcome,
    context: BatchContext,
    evaluations: number,
  ): void;
  /** The agent label values so far. */
  agents(): Iterable<string>;
}

/** Creates empty {@link SpanMetrics}. */
export function createSpanMetrics(options: SpanMetricsOptions): SpanMetrics {
  const values = createLabelValues(options);
  const families = createFamilies(options);
  const exposed: ExposedFamily[] = [
    ...Object.values(families),
    readFamily("obs_series", () => [
      sample(Object.values(families).reduce((sum, { size }) => sum + size, 0)),
    ]),
    readFamily("obs_label_overflow_total", () => overflowSamples(values, Object.values(families))),
  ];
  const cache = new SpanSeriesCache(values, options.maxSeries);
  const { stats } = options;
  let lastContext: BatchContext | undefined;

  function recordScore(labels: Labels, { evaluationType, evaluationScore }: SpanFacts): void {
    if (evaluationScore === undefined) return;
    const type = values.evaluation_type.resolve(evaluationType);
    families.evaluationScore.resolve({ ...labels, evaluation_type: type }).observe(evaluationScore);
    if (stats !== undefined) countScore(stats, labels, type, evaluationScore);
  }

  return {
    record(facts, context, countsUsage, isSampled) {
      if (facts.isRunning) return;
      if (context !== lastContext) {
        // The whole batch is counted in the step of its first span.
        lastContext = context;
        stats?.roll();
      }
      const exemplar =
        options.hasExemplars === true && isSampled === true
          ? exemplarOf(facts.traceId, context.receivedAtMs)
          : undefined;
      const series = cache.find(facts, context);
      recordSpan(families, series, facts, countsUsage, exemplar, stats);
      if (facts.evaluationScore !== undefined) recordScore(series.labels, facts);
    },
    recordEvaluation(facts, context) {
      stats?.roll();
      recordScore(cache.find(facts, context).labels, facts);
    },
    countEvaluations(typeName, outcome, { service, env, tenant }, evaluations) {
      const labels = {
        service: values.service.resolve(service),
        env: values.env.resolve(env),
        tenant: values.tenant.resolve(tenant),
        evaluation_type: values.evaluation_type.resolve(typeName),
        outcome,
      };
      families.evaluations.resolve(labels).add(evaluations);
    },
    agents: () => values.agent.all(),
    families: () => exposed,
  };
}

type SpanFamilies = ReturnType<typeof createFamilies>;

function createFamilies({ durationBuckets, tokensBuckets, maxSeries, isMultiTenant }: SpanMetricsOptions) {
  const spanFamilyCount = Object.values<MetricFamilyDefinition>(METRIC_FAMILIES).filter(
    ({ scope }) => scope === "span",
  ).length;
  // Reserves the overflow series of each family, so that they are within the limit.
  const budget = new SeriesBudget(maxSeries - spanFamilyCount);

  const labelNames = (name: MetricFamilyName) => metricLabelNames(name, isMultiTenant);
  const counter = (name: MetricFamilyName) =>
    new SeriesFamily(name, labelNames(name), budget, (labels) => new CounterSeries(labels));
  const histogram = (name: MetricFamilyName, bounds: readonly number[]) => {
    const shape = histogramShape(name, bounds);
    return new SeriesFamily(name, labelNames(name), budget, (labels) => new HistogramSeries(labels, shape));
  };
  return {
    spans: counter("obs_spans_total"),
    duration: histogram("obs_duration_seconds", durationBuckets),
    tokensInput: histogram("obs_tokens_input", tokensBuckets),
    tokensOutput: histogram("obs_tokens_output", tokensBuckets),
    ttft: histogram("obs_ttft_seconds", durationBuckets),
    llmCalls: counter("obs_llm_calls_total"),
    toolCalls: counter("obs_tool_calls_total"),
    errors: counter("obs_errors_total"),
    cost: counter("obs_cost_total"),
    evaluationScore: histogram("obs_evaluation_score", SCORE_BUCKETS),
    evaluations: counter("obs_evaluations_total"),
  };
}

type CappedValues = Readonly<Record<CappedLabel, LabelValues>>;

function createLabelValues({ caps, maxLabelValueLength }: SpanMetricsOptions): CappedValues {
  const entries = CAPPED_LABELS.map((label) => {
    return [label, new LabelValues({ cap: caps[label], maxLength: maxLabelValueLength })] as const;
  });
  return Object.fromEntries(entries) as Record<CappedLabel, LabelValues>;
}

function overflowSamples(values: CappedValues, families: readonly SeriesFamily<Series>[]): MetricSample[] {
  const series = families.reduce((sum, family) => sum + family.overflows, 0);
  return [
    ...CAPPED_LABELS.map((label) => sample(values[label].overflows, { label })),
    sample(series, { label: "series" }),
  ];
}

/** Creates each series on first use, so that a tool has no token histogram. */
function recordSpan(
  families: SpanFamilies,
  series: SpanSeries,
  facts: SpanFacts,
  countsUsage: boolean,
  exemplar: Exemplar | undefined,
  stats: SpanStats | undefined,
): void {
  const { labels } = series;
  (series.spans ??= families.spans.resolve(labels)).add(1);
  if (facts.durationMs !== undefined) {
    (series.duration ??= families.duration.resolve(labels)).observe(facts.durationMs / 1000, exemplar);
  }
  if (facts.ttftMs !== undefined) {
    (series.ttft ??= families.ttft.resolve(labels)).observe(facts.ttftMs / 1000);
  }
  if (stats !== undefined) {
    countSpan(stats.touch((series.stats ??= stats.rows.resolve(labels))), facts, countsUsage);
  }
  if (facts.spanType === "tool") (series.toolCalls ??= families.toolCalls.resolve(labels)).add(1);
  // "The innermost span of an error counts, once" (contract 4).
  if (facts.errorCategory !== "" && !facts.errorPropagated) {
    (series.errors ??= families.errors.resolve(labels)).add(1);
  }
  if (!countsUsage) return;
  if (facts.spanType === "llm") (series.llmCalls ??= families.llmCalls.resolve(labels)).add(1);
  // Any span type can carry usage (spec 2.2).
  if (facts.tokensInput !== undefined) {
    (series.tokensInput ??= families.tokensInput.resolve(labels)).observe(facts.tokensInput, exemplar);
  }
  if (facts.tokensOutput !== undefined) {
    (series.tokensOutput ??= families.tokensOutput.resolve(labels)).observe(facts.tokensOutput, exemplar);
  }
  if (facts.costUsd !== undefined) (series.cost ??= families.cost.resolve(labels)).add(facts.costUsd);
}
