/**
 * Every metric family of the collector with its name, type, labels and meaning (contract 4). Registration and the
 * reference page use this table. prom-client adds its own `process_*` and `nodejs_*` families.
 */

/** A row of {@link METRIC_FAMILIES}. */
export interface MetricFamilyDefinition {
  readonly type: "counter" | "gauge" | "histogram";
  /** `span`: derived from spans, with {@link GLOBAL_LABELS} before its own labels. `pipeline`: without them. */
  readonly scope: "span" | "pipeline";
  /** One line without double quotes, which OpenMetrics requires to be escaped. */
  readonly help: string;
  /** Its own labels, in order. */
  readonly labels: readonly string[];
  /** Unit of the value. */
  readonly unit: string;
  /** Option with the bucket bounds of a histogram. */
  readonly buckets?: "histograms.duration_buckets" | "histograms.tokens_buckets";
}

/** Labels of every family derived from spans (contract 4). */
export const GLOBAL_LABELS = ["service", "env"] as const;
/** Follows the global labels if multi-tenancy is on (spec 4.7). */
export const TENANT_LABEL = "tenant";

/** Replaces label values beyond a cap, and all labels of a tuple beyond the series limit (spec 4.7). */
export const OTHER_LABEL_VALUE = "__other__";

/** Labels whose values come from senders, each with its own cap (spec 8, contract 4). */
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
export type DropReason = "evicted_oldest" | "shutdown" | "internal_error" | "dead_letter";

/** Kinds of work that hold memory besides the queue and the store, within `limits.max_in_flight_bytes`. */
export type InFlightKind =
  | "request_bodies"
  | "answers"
  /** Traces that were evicted while a response reads them. */
  | "evicted_traces"
  | "import_lines"
  | "export_queue"
  | "evaluation_queue";

/** All families in exposition order. */
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
    help: "Input tokens of a call, including cached tokens.",
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
    help: "Model calls, not counting wrappers around a call.",
    labels: ["model", "provider", "agent", "status"],
    unit: "calls",
  },
  obs_tool_calls_total: {
    type: "counter",
    scope: "span",
    help: "Tool calls.",
    labels: ["tool_name", "agent", "status"],
    unit: "calls",
  },
  obs_errors_total: {
    type: "counter",
    scope: "span",
    help: "Errors by category, each counted once at the innermost span.",
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
    help: "Scores of evaluations, including those of users; model and agent are those of the evaluated span.",
    labels: ["evaluation_type", "model", "agent"],
    unit: "score",
  },
  obs_evaluations_total: {
    type: "counter",
    scope: "span",
    help: "Offered evaluations by outcome.",
    labels: ["evaluation_type", "outcome"],
    unit: "evaluations",
  },
  obs_slo_error_rate: {
    type: "gauge",
    scope: "pipeline",
    help: "Configured error rate target of an agent, as errors per call.",
    labels: ["agent"],
    unit: "ratio",
  },
  obs_cost_budget_usd: {
    type: "gauge",
    scope: "pipeline",
    help: "Configured cost budget of an agent per evaluation period; 0 means no budget.",
    labels: ["agent"],
    unit: "USD",
  },
  obs_http_requests_total: {
    type: "counter",
    scope: "pipeline",
    help: "HTTP requests by response status; 499 means that the client disconnected before the response.",
    labels: ["route", "status"],
    unit: "requests",
  },
  obs_batches_duplicate_total: {
    type: "counter",
    scope: "pipeline",
    help: "Batches with a known batch_id, which are accepted but not counted again.",
    labels: [],
    unit: "batches",
  },
  obs_spans_received_total: {
    type: "counter",
    scope: "pipeline",
    help: "Spans in all batches whose body could be parsed: accepted plus rejected.",
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
    help: "Accepted spans that passed the pipeline.",
    labels: [],
    unit: "spans",
  },
  obs_spans_rejected_total: {
    type: "counter",
    scope: "pipeline",
    help: "Rejected spans by error code.",
    labels: ["reason"],
    unit: "spans",
  },
  obs_sampling_spans_total: {
    type: "counter",
    scope: "pipeline",
    help: "Processed spans by the sampling decision for their trace: kept, or not_kept (counted in metrics only).",
    labels: ["decision"],
    unit: "spans",
  },
  obs_spans_dropped_total: {
    type: "counter",
    scope: "pipeline",
    help: "Accepted spans that were dropped before processing, by reason.",
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
    help: "Capacity of the ingestion queue in spans.",
    labels: [],
    unit: "spans",
  },
  obs_queue_usage_pct: {
    type: "gauge",
    scope: "pipeline",
    help: "Usage of the ingestion queue, by spans or by bytes, whichever is higher.",
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
  obs_queue_redelivered_batches_total: {
    type: "counter",
    scope: "pipeline",
    help: "Batches that this collector took over from another one, which did not acknowledge them: their spans may count twice in metrics. With queue.url only.",
    labels: [],
    unit: "batches",
  },
  obs_queue_dead_letters_total: {
    type: "counter",
    scope: "pipeline",
    help: "Batches that this collector put aside, because no collector could finish them. With queue.url only.",
    labels: [],
    unit: "batches",
  },
  obs_shared_state_available: {
    type: "gauge",
    scope: "pipeline",
    help: "1 while Redis answers what collectors share beside the queue, else 0. With queue.url only.",
    labels: [],
    unit: "boolean",
  },
  obs_shared_state_missed_total: {
    type: "counter",
    scope: "pipeline",
    help: "Decisions that this collector made alone, because Redis did not answer. With queue.url only.",
    labels: ["state"],
    unit: "decisions",
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
    help: "Spans offered for export, by outcome.",
    labels: ["outcome"],
    unit: "spans",
  },
  obs_export_queue_size: {
    type: "gauge",
    scope: "pipeline",
    help: "Spans that wait for export or are being sent.",
    labels: [],
    unit: "spans",
  },
  obs_evaluation_cost_total: {
    type: "counter",
    scope: "pipeline",
    help: "Cost of the judge in USD, if the price of its model is known.",
    labels: ["evaluation_type", "judge_model"],
    unit: "USD",
  },
  obs_evaluation_queue_size: {
    type: "gauge",
    scope: "pipeline",
    help: "Evaluations in the queue.",
    labels: [],
    unit: "evaluations",
  },
  obs_evaluations_repeated_total: {
    type: "counter",
    scope: "pipeline",
    help: "Evaluations that another collector had made, so that they were not made again. With queue.url only.",
    labels: [],
    unit: "evaluations",
  },
  obs_evaluations_late_total: {
    type: "counter",
    scope: "pipeline",
    help: "Evaluations that finished after their trace left the trace store, and are not stored.",
    labels: [],
    unit: "evaluations",
  },
  obs_in_flight_bytes: {
    type: "gauge",
    scope: "pipeline",
    help: "Memory of work in flight besides the queue and the store, by kind of work.",
    labels: ["kind"],
    unit: "bytes",
  },
  obs_in_flight_limit_bytes: {
    type: "gauge",
    scope: "pipeline",
    help: "Limit on the sum of obs_in_flight_bytes: limits.max_in_flight_bytes.",
    labels: [],
    unit: "bytes",
  },
  obs_in_flight_refused_total: {
    type: "counter",
    scope: "pipeline",
    help: "Work rejected because of limits.max_in_flight_bytes, by kind.",
    labels: ["kind"],
    unit: "requests",
  },
  obs_in_flight_cut_off_total: {
    type: "counter",
    scope: "pipeline",
    help: "Request and response bodies that were aborted because they stalled while their memory was needed, by kind.",
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
    help: "Memory of the trace store for spans.",
    labels: [],
    unit: "bytes",
  },
  obs_trace_store_evicted_total: {
    type: "counter",
    scope: "pipeline",
    help: "Traces removed from the trace store, by reason; for span_cap, spans.",
    labels: ["reason"],
    unit: "traces",
  },
  obs_trace_store_disk_bytes: {
    type: "gauge",
    scope: "pipeline",
    help: "Size of the files of the trace store; absent if traces are in memory only.",
    labels: [],
    unit: "bytes",
  },
  obs_trace_store_pending_bytes: {
    type: "gauge",
    scope: "pipeline",
    help: "Bytes of spans that the trace store has not yet saved, with those that wait for it; absent if traces are in memory only.",
    labels: [],
    unit: "bytes",
  },
  obs_trace_store_unsaved_spans_total: {
    type: "counter",
    scope: "pipeline",
    help:
      "Spans that the trace store took and could not save, by reason: disk_full, io_error, thread_died; and saved spans that " +
      "are lost: corrupt_chunk if they cannot be read any more, file_gone if the file was removed or replaced. Absent if traces are in memory only.",
    labels: ["reason"],
    unit: "spans",
  },
  obs_import_spans_total: {
    type: "counter",
    scope: "pipeline",
    help:
      "Spans read by POST /v1/import, by outcome: stored (imported), unusable (refused), or dropped because redaction " +
      "failed (dropped). They do not count as received, nor in metrics of spans.",
    labels: ["outcome"],
    unit: "spans",
  },
  obs_redactions_total: {
    type: "counter",
    scope: "pipeline",
    help: "Matches replaced by redaction, by pattern.",
    labels: ["pattern"],
    unit: "matches",
  },
  obs_redaction_failures_total: {
    type: "counter",
    scope: "pipeline",
    help: "Spans whose redaction failed, by action: dropped, or kept as received.",
    labels: ["action"],
    unit: "spans",
  },
  obs_invalid_values_total: {
    type: "counter",
    scope: "pipeline",
    help: "Invalid values of spans that were left out, by field.",
    labels: ["field"],
    unit: "values",
  },
  obs_series: {
    type: "gauge",
    scope: "pipeline",
    help: "Label tuples of all span families; limits.max_series is the limit.",
    labels: [],
    unit: "series",
  },
  obs_label_overflow_total: {
    type: "counter",
    scope: "pipeline",
    help:
      "Label values replaced by __other__ because the label reached its cap, counted per span and label; for the label " +
      "series, recordings that lost all labels because limits.max_series was reached.",
    labels: ["label"],
    unit: "values",
  },
  obs_build_info: {
    type: "gauge",
    scope: "pipeline",
    help: "Always 1; the labels have the versions of the collector and of Node.js.",
    labels: ["version", "node"],
    unit: "info",
  },
} as const satisfies Record<string, MetricFamilyDefinition>;

/** Name of a family of {@link METRIC_FAMILIES}. */
export type MetricFamilyName = keyof typeof METRIC_FAMILIES;

/** All labels of a family, global labels first. They include the tenant if multi-tenancy is on. */
export function metricLabelNames(name: MetricFamilyName, isMultiTenant = false): readonly string[] {
  const { scope, labels }: MetricFamilyDefinition = METRIC_FAMILIES[name];
  if (scope === "pipeline") return labels;
  return [...GLOBAL_LABELS, ...(isMultiTenant ? [TENANT_LABEL] : []), ...labels];
}
