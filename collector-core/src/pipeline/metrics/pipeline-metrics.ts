import type { ErrorCode } from "../../api-schema/errors.js";
import { OTHER_LABEL_VALUE, type DropReason } from "../../api-schema/metrics.js";
import type { ByteBudgetUsage } from "../../in-flight/byte-budget.js";
import type { ImportOutcome, QueueUsage, TraceStoreUsage } from "../../interfaces.js";
import { readFamily, type ExposedFamily, type MetricSource } from "./series-family.js";
import { sample, type MetricSample } from "./series.js";

/** What {@link createPipelineMetrics} needs. */
export interface PipelineMetricsOptions {
  /** Of the collector, for `obs_build_info`. */
  readonly version: string;
  /** Read at each scrape, as is the next. */
  readonly queueUsage: () => QueueUsage;
  readonly inFlight: () => ByteBudgetUsage;
  /** Undefined where the trace store is off: its families are then absent. */
  readonly storeUsage: (() => TraceStoreUsage) | undefined;
}

/** What became of the spans (contract 4, the ledger), as far as it is counted here. */
export interface LedgerCounts {
  readonly received: number;
  readonly accepted: number;
  readonly processed: number;
  /** By the code of the error that was answered. */
  readonly rejected: Readonly<Partial<Record<ErrorCode, number>>>;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

/** The pipeline's own metrics: where requests and spans went, how full the queue and the trace store are. */
export interface PipelineMetrics extends MetricSource {
  /** Spans of a batch whose body could be parsed. */
  received(spans: number): void;
  /** Spans admitted to the queue. */
  accepted(spans: number): void;
  /** Accepted spans that are through the pipeline. */
  processed(spans: number): void;
  /** Of processed spans those whose trace is kept, and those whose is not (spec 4.9 rule 1). */
  sampled(kept: number, notKept: number): void;
  /** Received spans that were refused, by the code of the error that was answered. */
  rejected(reason: ErrorCode, spans: number): void;
  /** Accepted spans that are lost. */
  dropped(reason: DropReason, spans: number): void;
  /** A batch came again with a `batch_id` that is known (contract 1). */
  duplicateBatch(): void;
  /** A value of a span that could not be used and was left out (contract 1). */
  invalidValue(field: string): void;
  /** Spans of a file that was imported. */
  imported(outcome: ImportOutcome, spans: number): void;
  /** Pieces of text that redaction replaced. */
  redacted(pattern: string, matches: number): void;
  /** Redaction of a span failed: it was dropped, or kept as it came. */
  redactionFailed(action: "dropped" | "kept"): void;
  /** A request was answered. The route is its pattern, never the path that was asked for. */
  httpRequest(route: string, status: number): void;
  /** The counters as they stand. */
  ledger(): LedgerCounts;
}

/** Makes the {@link PipelineMetrics}, all counters at zero. */
export function createPipelineMetrics(options: PipelineMetricsOptions): PipelineMetrics {
  const spans = { received: 0, accepted: 0, processed: 0 };
  const dropped: Record<DropReason, number> = { evicted_oldest: 0, shutdown: 0, internal_error: 0 };
  const sampled = { kept: 0, not_kept: 0 };
  const rejected = new Map<ErrorCode, number>();
  const invalidValues = new Map<string, number>();
  const redactions = new Map<string, number>();
  const imported: Record<ImportOutcome, number> = { imported: 0, refused: 0, dropped: 0 };
  const redactionFailures = { dropped: 0, kept: 0 };
  const httpRequests = new Map<string, Map<number | string, number>>();
  let duplicateBatches = 0;

  const exposed: ExposedFamily[] = [
    readFamily("obs_http_requests_total", () => httpRequestSamples(httpRequests)),
    readFamily("obs_batches_duplicate_total", () => [sample(duplicateBatches)]),
    readFamily("obs_spans_received_total", () => [sample(spans.received)]),
    readFamily("obs_spans_accepted_total", () => [sample(spans.accepted)]),
    readFamily("obs_spans_processed_total", () => [sample(spans.processed)]),
    readFamily("obs_spans_rejected_total", () => samplesBy("reason", rejected)),
    readFamily("obs_sampling_spans_total", () => samplesBy("decision", Object.entries(sampled))),
    readFamily("obs_spans_dropped_total", () => samplesBy("reason", Object.entries(dropped))),
    ...queueFamilies(options.queueUsage),
    ...inFlightFamilies(options.inFlight),
    ...(options.storeUsage === undefined ? [] : storeFamilies(options.storeUsage)),
    readFamily("obs_import_spans_total", () => samplesBy("outcome", Object.entries(imported))),
    readFamily("obs_redactions_total", () => samplesBy("pattern", redactions)),
    readFamily("obs_redaction_failures_total", () => samplesBy("action", Object.entries(redactionFailures))),
    readFamily("obs_invalid_values_total", () => samplesBy("field", invalidValues)),
    readFamily("obs_build_info", () => [sample(1, { version: options.version, node: process.version })]),
  ];

  return {
    received: (count) => void (spans.received += count),
    accepted: (count) => void (spans.accepted += count),
    processed: (count) => void (spans.processed += count),
    sampled(kept, notKept) {
      sampled.kept += kept;
      sampled.not_kept += notKept;
    },
    rejected: (reason, count) => add(rejected, reason, count),
    dropped: (reason, count) => void (dropped[reason] += count),
    duplicateBatch: () => void (duplicateBatches += 1),
    invalidValue: (field) => add(invalidValues, bounded(invalidValues, field), 1),
    imported: (outcome, count) => void (imported[outcome] += count),
    redacted: (pattern, matches) => add(redactions, bounded(redactions, pattern), matches),
    redactionFailed: (action) => void (redactionFailures[action] += 1),
    httpRequest(route, status) {
      const known = bounded(httpRequests, route);
      let byStatus = httpRequests.get(known);
      if (byStatus === undefined) httpRequests.set(known, (byStatus = new Map<number | string, number>()));
      add(byStatus, bounded(byStatus, status), 1);
    },
    ledger: () => ({ ...spans, rejected: Object.fromEntries(rejected), dropped: { ...dropped } }),
    families: () => exposed,
  };
}

function queueFamilies(usage: () => QueueUsage): ExposedFamily[] {
  return [
    readFamily("obs_queue_size", () => [sample(usage().spans)]),
    readFamily("obs_queue_capacity", () => [sample(usage().capacitySpans)]),
    readFamily("obs_queue_usage_pct", () => [sample(usage().usagePct)]),
    readFamily("obs_queue_bytes", () => [sample(usage().bytes)]),
    // Over the hard limit the soft one is reached too.
    readFamily("obs_backpressure_soft_limit_reached", () => [sample(usage().level === "normal" ? 0 : 1)]),
    readFamily("obs_backpressure_hard_limit_active", () => [
      sample(usage().level === "hard_limit_active" ? 1 : 0),
    ]),
  ];
}

function inFlightFamilies(usage: () => ByteBudgetUsage): ExposedFamily[] {
  return [
    readFamily("obs_in_flight_bytes", () => samplesBy("kind", Object.entries(usage().bytes))),
    readFamily("obs_in_flight_limit_bytes", () => [sample(usage().limitBytes)]),
    readFamily("obs_in_flight_refused_total", () => samplesBy("kind", Object.entries(usage().refused))),
    readFamily("obs_in_flight_cut_off_total", () => samplesBy("kind", Object.entries(usage().cutOff))),
  ];
}

function storeFamilies(usage: () => TraceStoreUsage): ExposedFamily[] {
  return [
    readFamily("obs_trace_store_traces", () => [sample(usage().traces)]),
    readFamily("obs_trace_store_spans", () => [sample(usage().spans)]),
    readFamily("obs_trace_store_bytes", () => [sample(usage().bytes)]),
    readFamily("obs_evaluations_late_total", () => [sample(usage().lateEvaluations)]),
    readFamily("obs_trace_store_evicted_total", () => samplesBy("reason", Object.entries(usage().evicted))),
  ];
}

function httpRequestSamples(
  requests: ReadonlyMap<string, ReadonlyMap<number | string, number>>,
): MetricSample[] {
  return [...requests].flatMap(([route, byStatus]) =>
    [...byStatus].map(([status, count]) => sample(count, { route, status: String(status) })),
  );
}

function samplesBy(label: string, counts: Iterable<readonly [string, number]>): MetricSample[] {
  return [...counts].map(([value, count]) => sample(count, { [label]: value }));
}

function add<K>(counts: Map<K, number>, key: K, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

/**
 * Distinct fields, routes, and statuses of a route that are told apart. They come from tables in the code; should one
 * come from outside by mistake, this is where it ends.
 */
const MAX_COUNTED_VALUES = 100;

/** The key to count under: `__other__` for a new one where there are enough. */
function bounded<K>(known: ReadonlyMap<K | string, unknown>, key: K): K | string {
  return known.has(key) || known.size < MAX_COUNTED_VALUES ? key : OTHER_LABEL_VALUE;
}
