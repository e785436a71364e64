/**
 * Every metric family that the collector makes: its name, type, labels and what it means (contract 4). Registration
 * and the reference page come from this table. prom-client's own `process_*` and `nodejs_*` families stand beside it.
 */

/** A row of {@link METRIC_FAMILIES}. */
export interface MetricFamilyDefinition {
  readonly type: "counter" | "gauge" | "histogram";
  /** `span`: derived from spans, and carries {@link GLOBAL_LABELS} before its own; `pipeline`: does not. */
  readonly scope: "span" | "pipeline";
  /** One line, without double quotes, which OpenMetrics would want escaped. */
  readonly help: string;
  /** Its own labels, in order. */
  readonly labels: readonly string[];
  /** What one unit of the value is. */
  readonly unit: string;
  /** On a histogram: the option that sets its bucket bounds. */
  readonly buckets?: "histograms.duration_buckets" | "histograms.tokens_buckets";
}

/** Labels that every family derived from spans carries (contract 4). */
export const GLOBAL_LABELS = ["service", "env"] as const;
/** Stands after them where the collector is multi-tenant (spec 4.7). */
export const TENANT_LABEL = "tenant";

/** Stands for every label value beyond a cap, and for all labels of a tuple beyond the series bound (spec 4.7). */
export const OTHER_LABEL_VALUE = "__other__";

/** Labels whose values come from what senders write, each with a cap of its own (spec 8, contract 4). */
export const CAPPED_LABELS = [
  ...GLOBAL_LABELS,
  TENANT_LABEL,
  "span_type",
  "model",
  "provider",
  "tool_name",
  "agent",
  "error_type",
  "evaluation_type",
] as const;

/** One of {@link CAPPED_LABELS}. */
export type CappedLabel = (typeof CAPPED_LABELS)[number];

/** Bucket bounds of `obs_evaluation_score`. */
export const SCORE_BUCKETS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;

/** Why an accepted span was not processed (contract 4, the ledger). */
export type DropReason = "evicted_oldest" | "shutdown" | "internal_error";

/** Kinds of work that hold memory beside the queue and the store, all within `limits.max_in_flight_bytes`. */
export type InFlightKind =
  | "request_bodies"
  | "answers"
  /** Traces that left the store while an answer was reading them. */
  | "evicted_traces"
  | "import_lines"
  | "export_queue"
  | "evaluation_queue";

/** All families, in the order in which they are exposed. */
export const METRIC_FAMILIES = {
  obs_spans_total: {
    type: "counter",
    scope: "span",
    help: "Spans that ended.",
    labels: ["span_type", "status"],
    unit: "spans",
  },
  obs_duration_seconds: {
    type: "histogram",
    scope: "span",
    help: "Duration of spans.",
    labels: ["span_type", "model", "provider", "tool_name", "agent"],
    unit: "seconds",
    buckets: "histograms.duration_buckets",
  },
  obs_tokens_input: {
    type: "histogram",
    scope: "span",
    help: "Input tokens of a call, cached ones included.",
    labels: ["model", "provider", "agent"],
    unit: "tokens",
    buckets: "histograms.tokens_buckets",
  },
  obs_tokens_output: {
    type: "histogram",
    scope: "span",
    help: "Output tokens of a call.",
    labels: ["model", "provider", "agent"],
    unit: "tokens",
    buckets: "histograms.tokens_buckets",
  },
  obs_ttft_seconds: {
    type: "histogram",
    scope: "span",
    help: "Time to the first token of a streamed call.",
    labels: ["model", "provider", "agent"],
    unit: "seconds",
    buckets: "histograms.duration_buckets",
  },
  obs_llm_calls_total: {
    type: "counter",
    scope: "span",
    help: "Calls of a model; a wrapper around one is no call.",
    labels: ["model", "provider", "agent", "status"],
    unit: "calls",
  },
  obs_tool_calls_total: {
    type: "counter",
    scope: "span",
    help: "Calls of a tool.",
    labels: ["tool_name", "agent", "status"],
    unit: "calls",
  },
  obs_errors_total: {
    type: "counter",
    scope: "span",
    help: "Errors, each counted once, at the innermost span, by category.",
    labels: ["span_type", "model", "provider", "tool_name", "agent", "error_type"],
    unit: "errors",
  },
  obs_cost_total: {
    type: "counter",
    scope: "span",
    help: "Cost of calls in USD.",
    labels: ["model", "provider", "agent"],
    unit: "USD",
  },
  obs_evaluation_score: {
    type: "histogram",
    scope: "span",
    help: "Scores of evaluations, those of users among them; model and agent are those of the evaluated span.",
    labels: ["evaluation_type", "model", "agent"],
    unit: "score",
  },
  obs_evaluations_total: {
    type: "counter",
    scope: "span",
    help: "Evaluations that were offered, by what became of them.",
    labels: ["evaluation_type", "outcome"],
    unit: "evaluations",
  },
  obs_slo_error_rate: {
    type: "gauge",
    scope: "pipeline",
    help: "Errors per call that are allowed to an agent, as configured.",
    labels: ["agent"],
    unit: "ratio",
  },
  obs_cost_budget_usd: {
    type: "gauge",
    scope: "pipeline",
    help: "Cost per evaluation period that is allowed to an agent, as configured; 0 is no budget.",
    labels: ["agent"],
    unit: "USD",
  },
  obs_http_requests_total: {
    type: "counter",
    scope: "pipeline",
    help: "HTTP requests by the status they were answered with; 499: the client went away before it had its answer.",
    labels: ["route", "status"],
    unit: "requests",
  },
  obs_batches_duplicate_total: {
    type: "counter",
    scope: "pipeline",
    help: "Batches that came again with a known batch_id: answered as accepted, not counted again.",
    labels: [],
    unit: "batches",
  },
  obs_spans_received_total: {
    type: "counter",
    scope: "pipeline",
    help: "Spans of all batches whose body could be parsed: accepted plus rejected.",
    labels: [],
    unit: "spans",
  },
  obs_spans_accepted_total: {
    type: "counter",
    scope: "pipeline",
    help: "Spans admitted to the ingestion queue.",
    labels: [],
    unit: "spans",
  },
  obs_spans_processed_total: {
    type: "counter",
    scope: "pipeline",
    help: "Accepted spans that went through the pipeline.",
    labels: [],
    unit: "spans",
  },
  obs_spans_rejected_total: {
    type: "counter",
    scope: "pipeline",
    help: "Received spans that were refused, by the code of the error answered.",
    labels: ["reason"],
    unit: "spans",
  },
  obs_sampling_spans_total: {
    type: "counter",
    scope: "pipeline",
    help: "Processed spans by what sampling says of their trace: kept, or not_kept, and then in the metrics alone.",
    labels: ["decision"],
    unit: "spans",
  },
  obs_spans_dropped_total: {
    type: "counter",
    scope: "pipeline",
    help: "Accepted spans that were lost before they were processed.",
    labels: ["reason"],
    unit: "spans",
  },
  obs_queue_size: {
    type: "gauge",
    scope: "pipeline",
    help: "Spans in the ingestion queue.",
    labels: [],
    unit: "spans",
  },
  obs_queue_capacity: {
    type: "gauge",
    scope: "pipeline",
    help: "Spans that the ingestion queue can hold.",
    labels: [],
    unit: "spans",
  },
  obs_queue_usage_pct: {
    type: "gauge",
    scope: "pipeline",
    help: "Use of the ingestion queue, by spans or by bytes, whichever is more.",
    labels: [],
    unit: "percent",
  },
  obs_queue_bytes: {
    type: "gauge",
    scope: "pipeline",
    help: "Bytes in the ingestion queue.",
    labels: [],
    unit: "bytes",
  },
  obs_backpressure_soft_limit_reached: {
    type: "gauge",
    scope: "pipeline",
    help: "1 while the queue is at or over its soft limit, else 0.",
    labels: [],
    unit: "boolean",
  },
  obs_backpressure_hard_limit_active: {
    type: "gauge",
    scope: "pipeline",
    help: "1 while the queue is at or over its hard limit, else 0.",
    labels: [],
    unit: "boolean",
  },
  obs_export_spans_total: {
    type: "counter",
    scope: "pipeline",
    help: "Spans that were offered for export, by what became of them.",
    labels: ["outcome"],
    unit: "spans",
  },
  obs_export_queue_size: {
    type: "gauge",
    scope: "pipeline",
    help: "Spans that wait for export or are on their way.",
    labels: [],
    unit: "spans",
  },
  obs_evaluation_cost_total: {
    type: "counter",
    scope: "pipeline",
    help: "Cost of the judge in USD, where the price of its model is known.",
    labels: ["evaluation_type", "judge_model"],
    unit: "USD",
  },
  obs_evaluation_queue_size: {
    type: "gauge",
    scope: "pipeline",
    help: "Evaluations that wait.",
    labels: [],
    unit: "evaluations",
  },
  obs_evaluations_late_total: {
    type: "counter",
    scope: "pipeline",
    help: "Evaluations that came when their trace had left the trace store: they are not kept there.",
    labels: [],
    unit: "evaluations",
  },
  obs_in_flight_bytes: {
    type: "gauge",
    scope: "pipeline",
    help: "Memory held by work under way beside the queue and the store, by kind of work.",
    labels: ["kind"],
    unit: "bytes",
  },
  obs_in_flight_limit_bytes: {
    type: "gauge",
    scope: "pipeline",
    help: "The bound on obs_in_flight_bytes of all kinds together: limits.max_in_flight_bytes.",
    labels: [],
    unit: "bytes",
  },
  obs_in_flight_refused_total: {
    type: "counter",
    scope: "pipeline",
    help: "Work that found no room within limits.max_in_flight_bytes, by kind.",
    labels: ["kind"],
    unit: "requests",
  },
  obs_in_flight_cut_off_total: {
    type: "counter",
    scope: "pipeline",
    help: "Bodies and answers that were cut off because they stalled while their memory was needed, by kind.",
    labels: ["kind"],
    unit: "requests",
  },
  obs_trace_store_traces: {
    type: "gauge",
    scope: "pipeline",
    help: "Traces in the trace store.",
    labels: [],
    unit: "traces",
  },
  obs_trace_store_spans: {
    type: "gauge",
    scope: "pipeline",
    help: "Spans in the trace store.",
    labels: [],
    unit: "spans",
  },
  obs_trace_store_bytes: {
    type: "gauge",
    scope: "pipeline",
    help: "Memory that the trace store holds for spans.",
    labels: [],
    unit: "bytes",
  },
  obs_trace_store_evicted_total: {
    type: "counter",
    scope: "pipeline",
    help: "Traces that left the trace store, by reason; for span_cap, spans.",
    labels: ["reason"],
    unit: "traces",
  },
  obs_import_spans_total: {
    type: "counter",
    scope: "pipeline",
    help:
      "Spans read by POST /v1/import, by what became of them: in the trace store (imported), not usable (refused), or " +
      "left out by a failed redaction (dropped). None of them is received, nor in any metric of spans.",
    labels: ["outcome"],
    unit: "spans",
  },
  obs_redactions_total: {
    type: "counter",
    scope: "pipeline",
    help: "Pieces of text that redaction replaced, by pattern.",
    labels: ["pattern"],
    unit: "matches",
  },
  obs_redaction_failures_total: {
    type: "counter",
    scope: "pipeline",
    help: "Spans whose redaction failed, by what became of them: dropped, or kept as they came.",
    labels: ["action"],
    unit: "spans",
  },
  obs_invalid_values_total: {
    type: "counter",
    scope: "pipeline",
    help: "Values of spans that could not be used and were left out, by field.",
    labels: ["field"],
    unit: "values",
  },
  obs_series: {
    type: "gauge",
    scope: "pipeline",
    help: "Label tuples of all span families together; limits.max_series bounds them.",
    labels: [],
    unit: "series",
  },
  obs_label_overflow_total: {
    type: "counter",
    scope: "pipeline",
    help:
      "Label values replaced by __other__ because the label was at its cap, one for each span and label; for the " +
      "label series, recordings that lost all their labels because limits.max_series was reached.",
    labels: ["label"],
    unit: "values",
  },
  obs_build_info: {
    type: "gauge",
    scope: "pipeline",
    help: "Always 1; the labels say which version runs on which Node.js.",
    labels: ["version", "node"],
    unit: "info",
  },
} as const satisfies Record<string, MetricFamilyDefinition>;

/** Name of a family of {@link METRIC_FAMILIES}. */
export type MetricFamilyName = keyof typeof METRIC_FAMILIES;

/** All labels of a family, the global ones first; among them the tenant where the collector is multi-tenant. */
export function metricLabelNames(name: MetricFamilyName, isMultiTenant = false): readonly string[] {
  const { scope, labels }: MetricFamilyDefinition = METRIC_FAMILIES[name];
  if (scope === "pipeline") return labels;
  return [...GLOBAL_LABELS, ...(isMultiTenant ? [TENANT_LABEL] : []), ...labels];
}
