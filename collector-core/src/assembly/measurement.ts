import type { MetricSource } from "../pipeline/metrics/series-family.js";
import { createObjectiveGauges } from "../pipeline/metrics/objective-gauges.js";
import { createPipelineMetrics, type PipelineMetrics } from "../pipeline/metrics/pipeline-metrics.js";
import { createSpanMetrics, type SpanMetrics } from "../pipeline/metrics/span-metrics.js";
import { createSpanStats, type SpanStats } from "../pipeline/stats/span-stats.js";
import type { Foundation } from "./foundation.js";
import type { Shared } from "./shared.js";
import type { Storage } from "./storage.js";

/** Metrics and statistics of spans and of the collector. */
export interface Measurement {
  /** Metrics of the collector itself, including the ledger. */
  readonly pipelineMetrics: PipelineMetrics;
  readonly spanMetrics: SpanMetrics;
  readonly stats: SpanStats;
  /** Sources of `GET /metrics`. */
  readonly sources: readonly MetricSource[];
}

export function createMeasurement(
  foundation: Foundation,
  { queue, store }: Storage,
  shared: Shared | undefined,
): Measurement {
  const { config, clock, version, budget } = foundation;
  const pipelineMetrics = createPipelineMetrics({
    version,
    queueUsage: () => queue.usage(),
    inFlight: () => budget.usage(),
    storeUsage: store && (() => store.usage()),
    sharedUsage: shared && (() => shared.usage()),
  });
  const stats = createSpanStats({ clock });
  const spanMetrics = createSpanMetrics({
    stats,
    durationBuckets: config["histograms.duration_buckets"],
    tokensBuckets: config["histograms.tokens_buckets"],
    maxLabelValueLength: config["limits.max_label_value_length"],
    maxSeries: config["limits.max_series"],
    isMultiTenant: config["multi_tenant.enabled"],
    hasExemplars: config["exemplars.enabled"],
    caps: {
      service: config["limits.cardinality_service"],
      env: config["limits.cardinality_env"],
      tenant: config["limits.cardinality_tenant"],
      span_type: config["limits.cardinality_span_type"],
      model: config["limits.cardinality_model"],
      provider: config["limits.cardinality_provider"],
      tool_name: config["limits.cardinality_tool_name"],
      agent: config["limits.cardinality_agent"],
      error_type: config["limits.cardinality_error_type"],
      evaluation_type: config["evaluation.max_evaluation_types"],
    },
  });
  const objectives = config["sre.enabled"]
    ? createObjectiveGauges({
        defaultSloErrorRate: config["sre.default_slo_error_rate"],
        defaultCostBudgetUsd: config["sre.default_cost_budget_usd"],
        agents: config["sre.agents"],
        maxLabelValueLength: config["limits.max_label_value_length"],
        seenAgents: () => spanMetrics.agents(),
      })
    : undefined;
  const sources = [spanMetrics, ...(objectives === undefined ? [] : [objectives]), pipelineMetrics];
  return { pipelineMetrics, spanMetrics, stats, sources };
}
