import type { SpanSink } from "../interfaces.js";
import type { LiveMetrics } from "../api-schema/stats.js";
import { createEvaluationLog, type EvaluationLog } from "../query/evaluation-log.js";
import { createLiveHub, type LiveHub } from "../query/live-hub.js";
import { createLiveStatus, type LiveStatusOptions } from "../query/live-status.js";
import { directionsOf, evaluatedLabels } from "./evaluated-labels.js";
import type { Foundation } from "./foundation.js";
import { createExport, type Export } from "./otlp-export.js";
import {
  createRestoredEvaluations,
  type AppendSpans,
  type RestoredEvaluations,
} from "./restored-evaluations.js";
import type { Storage } from "./storage.js";

/** Sinks of spans: the trace store, the evaluation log, live clients, OTLP export. */
export interface Outputs {
  readonly evaluationLog: EvaluationLog;
  readonly live: LiveHub;
  /** Undefined if the trace store is off. */
  readonly restoredEvaluations: RestoredEvaluations | undefined;
  /** Undefined if no endpoint is configured. */
  readonly exporting: Export | undefined;
  /** The trace store comes first, so that live clients can query a trace when they are notified. */
  readonly sinks: readonly SpanSink[];
}

/** Status of the collector for live clients. */
export interface LiveFigures {
  readonly ledger: LiveStatusOptions["ledger"];
  readonly newestMetrics: () => LiveMetrics;
}

export async function createOutputs(
  foundation: Foundation,
  { queue, store, maxTraces }: Storage,
  { ledger, newestMetrics }: LiveFigures,
): Promise<Outputs> {
  const { config, clock, version, startedAtMs, logger, isStopping } = foundation;
  const exporting = await createExport(foundation);
  const evaluationLog = createEvaluationLog({
    thresholds: config["evaluation.thresholds"],
    directions: directionsOf(config["evaluation.types"]),
    labelsOf: (key, spanId) => evaluatedLabels(store, key, spanId),
  });
  const live = createLiveHub({
    store,
    clock,
    evaluations: evaluationLog,
    metrics: newestMetrics,
    status: createLiveStatus({
      version,
      startedAtMs,
      clock,
      ledger,
      queueUsage: () => queue.usage(),
      storeUsage: store && (() => store.usage()),
      maxTraces,
      diskMaxBytes: config["trace_store.disk_max_bytes"],
      ttlSeconds: config["trace_store.ttl_seconds"],
      hardLimitPct: config["backpressure.hard_limit_pct"],
      isStopping,
    }),
  });
  const restoredEvaluations =
    store && createRestoredEvaluations({ store, evaluationLog, log: logger.child("evaluations") });
  const sinks = [
    // Without a store, live clients have no traces to query.
    ...(restoredEvaluations === undefined
      ? [evaluationLog]
      : [storeSink(restoredEvaluations.append), evaluationLog, live]),
    ...(exporting === undefined ? [] : [exporting.exporter]),
  ];
  return { evaluationLog, live, restoredEvaluations, exporting, sinks };
}

function storeSink(append: AppendSpans): SpanSink {
  return { name: "trace store", offer: (spans) => append(spans) };
}
