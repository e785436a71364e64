import type { ErrorCode } from "../../api-schema/errors.js";
import { OTHER_LABEL_VALUE, type DropReason } from "../../api-schema/metrics.js";
import type { ByteBudgetUsage } from "../../in-flight/byte-budget.js";
import type { ImportOutcome, QueueUsage, SharedUsage, TraceStoreUsage } from "../../interfaces.js";
import { readFamily, type ExposedFamily, type MetricSource } from "./series-family.js";
import { sample, type MetricSample } from "./series.js";

/** Options of {@link createPipelineMetrics}. */
export interface PipelineMetricsOptions {
  /** Version of the collector, for `obs_build_info`. */
  readonly version: string;
  /** This function and the following ones are called at each scrape. */
  readonly queueUsage: () => QueueUsage;
  readonly inFlight: () => ByteBudgetUsage;
  /** Undefined when the trace store is off; its families are then absent. Those of files are there for a store on disk only. */
  readonly storeUsage: (() => TraceStoreUsage) | undefined;
  /** Undefined for a collector that shares nothing; its families are then absent. */
  readonly sharedUsage?: (() => SharedUsage) | undefined;
}

/** Spans by outcome, up to the sinks (contract 4, the ledger). */
export interface LedgerCounts {
  readonly received: number;
  readonly accepted: number;
  readonly processed: number;
  /** By the error code of the response. */
  readonly rejected: Readonly<Partial<Record<ErrorCode, number>>>;
  /** `dead_letter` with a shared queue only. */
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
}

/** Metrics of the pipeline itself: outcomes of requests and spans, usage of the queue and the trace store. */
export interface PipelineMetrics extends MetricSource {
  /** Counts the spans of a parsed batch. */
  received(spans: number): void;
  /** Counts spans that the queue accepted. */
  accepted(spans: number): void;
  /** Counts accepted spans that passed through the pipeline. */
  processed(spans: number): void;
  /** Counts processed spans by sampling decision (spec 4.9 rule 1). */
  sampled(kept: number, notKept: number): void;
  /** Counts rejected spans by the error code of the response. */
  rejected(reason: ErrorCode, spans: number): void;
  /** Counts accepted spans that were lost. */
  dropped(reason: Exclude<DropReason, "dead_letter">, spans: number): void;
  /** Counts a batch whose `batch_id` was received before (contract 1). */
  duplicateBatch(): void;
  /** Counts an unusable value that was omitted from a span (contract 1). */
  invalidValue(field: string): void;
  /** Counts spans of an import. */
  imported(outcome: ImportOutcome, spans: number): void;
  /** Counts redacted matches of a pattern. */
  redacted(pattern: string, matches: number): void;
  /** Counts a failed redaction; the span was dropped or kept unredacted. */
  redactionFailed(action: "dropped" | "kept"): void;
  /** Counts a response. `route` is the route pattern, never the requested path. */
  httpRequest(route: string, status: number): void;
  /** A snapshot of the counters. */
  ledger(): LedgerCounts;
}

/** Creates the {@link PipelineMetrics} with all counters at zero. */
export function createPipelineMetrics(options: PipelineMetricsOptions): PipelineMetrics {
  const spans = { received: 0, accepted: 0, processed: 0 };
  const dropped = { evicted_oldest: 0, shutdown: 0, internal_error: 0 };
  const sampled = { kept: 0, not_kept: 0 };
  const rejected = new Map<ErrorCode, number>();
  const invalidValues = new Map<string, number>();
  const redactions = new Map<string, number>();
  const imported: Record<ImportOutcome, number> = { imported: 0, refused: 0, dropped: 0 };
  const redactionFailures = { dropped: 0, kept: 0 };
  const httpRequests = new Map<string, Map<number | string, number>>();
  let duplicateBatches = 0;

  function allDropped(): LedgerCounts["dropped"] {
    const { shared } = options.queueUsage();
    return shared === undefined ? { ...dropped } : { ...dropped, dead_letter: shared.deadSpans };
  }

  const exposed: ExposedFamily[] = [
    readFamily("obs_http_requests_total", () => httpRequestSamples(httpRequests)),
    readFamily("obs_batches_duplicate_total", () => [sample(duplicateBatches)]),
    readFamily("obs_spans_received_total", () => [sample(spans.received)]),
    readFamily("obs_spans_accepted_total", () => [sample(spans.accepted)]),
    readFamily("obs_spans_processed_total", () => [sample(spans.processed)]),
    readFamily("obs_spans_rejected_total", () => samplesBy("reason", rejected)),
    readFamily("obs_sampling_spans_total", () => samplesBy("decision", Object.entries(sampled))),
    readFamily("obs_spans_dropped_total", () => samplesBy("reason", Object.entries(allDropped()))),
    ...queueFamilies(options.queueUsage),
    ...inFlightFamilies(options.inFlight),
    ...(options.storeUsage === undefined ? [] : storeFamilies(options.storeUsage)),
    ...(options.sharedUsage === undefined ? [] : sharedFamilies(options.sharedUsage)),
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
      const routeKey = bounded(httpRequests, route);
      let byStatus = httpRequests.get(routeKey);
      if (byStatus === undefined) httpRequests.set(routeKey, (byStatus = new Map<number | string, number>()));
      add(byStatus, bounded(byStatus, status), 1);
    },
    ledger: () => ({ ...spans, rejected: Object.fromEntries(rejected), dropped: allDropped() }),
    families: () => exposed,
  };
}

function queueFamilies(usage: () => QueueUsage): ExposedFamily[] {
  return [
    readFamily("obs_queue_size", () => [sample(usage().spans)]),
    readFamily("obs_queue_capacity", () => [sample(usage().capacitySpans)]),
    readFamily("obs_queue_usage_pct", () => [sample(usage().usagePct)]),
    readFamily("obs_queue_bytes", () => [sample(usage().bytes)]),
    // The hard limit implies the soft one.
    readFamily("obs_backpressure_soft_limit_reached", () => [sample(usage().level === "normal" ? 0 : 1)]),
    readFamily("obs_backpressure_hard_limit_active", () => [
      sample(usage().level === "hard_limit_active" ? 1 : 0),
    ]),
    ...(usage().shared === undefined ? [] : sharedQueueFamilies(usage)),
  ];
}

/** Families of a queue that several collectors share. */
function sharedQueueFamilies(usage: () => QueueUsage): ExposedFamily[] {
  return [
    readFamily("obs_queue_redelivered_batches_total", () => [
      sample(usage().shared?.redeliveredBatches ?? 0),
    ]),
    readFamily("obs_queue_dead_letters_total", () => [sample(usage().shared?.deadLetters ?? 0)]),
  ];
}

function sharedFamilies(usage: () => SharedUsage): ExposedFamily[] {
  return [
    readFamily("obs_shared_state_available", () => [sample(usage().isAvailable ? 1 : 0)]),
    readFamily("obs_shared_state_missed_total", () => samplesBy("state", Object.entries(usage().alone))),
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
    readFamily("obs_trace_store_bytes", () => [sample(usage().memoryBytes)]),
    readFamily("obs_evaluations_late_total", () => [sample(usage().lateEvaluations)]),
    readFamily("obs_trace_store_evicted_total", () => samplesBy("reason", Object.entries(usage().evicted))),
    ...(usage().diskBytes === null ? [] : diskFamilies(usage)),
  ];
}

/** Families of a store on disk. */
function diskFamilies(usage: () => TraceStoreUsage): ExposedFamily[] {
  return [
    readFamily("obs_trace_store_disk_bytes", () => [sample(usage().diskBytes ?? 0)]),
    readFamily("obs_trace_store_pending_bytes", () => [sample(usage().pendingBytes)]),
    readFamily("obs_trace_store_unsaved_spans_total", () =>
      samplesBy("reason", Object.entries(usage().unsaved)),
    ),
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
 * Maximum number of distinct fields, patterns, routes, and statuses of a route. They come from tables in the code;
 * the limit is a safeguard against values from senders.
 */
const MAX_COUNTED_VALUES = 100;

/** Returns the key, or `__other__` for a new key when the map is full. */
function bounded<K>(counts: ReadonlyMap<K | string, unknown>, key: K): K | string {
  return counts.has(key) || counts.size < MAX_COUNTED_VALUES ? key : OTHER_LABEL_VALUE;
}
