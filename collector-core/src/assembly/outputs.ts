import type { SpanSink } from "../interfaces.js";
import type { LiveStatus } from "../api-schema/live.js";
import type { LiveMetrics } from "../api-schema/stats.js";
import { createEvaluationLog, type EvaluationLog } from "../query/evaluation-log.js";
import { createLiveHub, type LiveHub } from "../query/live-hub.js";
import { createLiveStatus, type LiveStatusOptions } from "../query/live-status.js";
import { describeError, errorMessage } from "../runtime/describe-error.js";
import { throttle } from "../runtime/throttle.js";
import type { Foundation } from "./foundation.js";
import { createExport, type Export } from "./otlp-export.js";
import type { StartedPart } from "./lifecycle.js";
import { createRestoredEvaluations } from "./restored-evaluations.js";
import { shareLive } from "./shared-live.js";
import type { Shared } from "./shared.js";
import { diskMaxBytes, isStoreShared, type Storage } from "./storage.js";
import { withoutDeleted } from "./without-deleted.js";

/** Interval of the warning that labels cannot be read. */
const LABELS_WARNING_MS = 60_000;

/** Sinks of spans: the evaluation log, live clients, OTLP export. */
export interface Outputs {
  readonly evaluationLog: EvaluationLog;
  readonly live: LiveHub;
  /** Reads the status that live clients get. */
  readonly status: () => LiveStatus;
  /** Undefined if the trace store is off. */
  readonly restoredEvaluations: StartedPart | undefined;
  /** Undefined if no endpoint is configured. */
  readonly exporting: Export | undefined;
  /** They get spans after the trace store, so that live clients can query a trace when they are notified. */
  readonly sinks: readonly SpanSink[];
}

/** Status of the collector for live clients. */
export interface LiveFigures {
  readonly ledger: LiveStatusOptions["ledger"];
  readonly newestMetrics: () => LiveMetrics;
}

export async function createOutputs(
  foundation: Foundation,
  { queue, store, maxTraces, onWritten }: Storage,
  { ledger, newestMetrics }: LiveFigures,
  shared: Shared | undefined,
): Promise<Outputs> {
  const { config, clock, version, startedAtMs, logger, isStopping, closure } = foundation;
  const exporting = await createExport(foundation);
  const log = logger.child("evaluations");
  const evaluationLog = createEvaluationLog({
    thresholds: config["evaluation.thresholds"],
    directions: directionsOf(config["evaluation.types"]),
    labelsOf: store && ((references) => store.labelsOf(references)),
    onError: throttle(LABELS_WARNING_MS, clock, (error) => {
      if (!isStopping())
        log.warning(`evaluations are shown without model and agent: ${errorMessage(error)}`, {
          error: describeError(error),
        });
    }),
  });
  const status = createLiveStatus({
    version,
    startedAtMs,
    clock,
    ledger,
    queueUsage: () => queue.usage(),
    storeUsage: store && (() => store.usage()),
    maxTraces,
    diskMaxBytes: diskMaxBytes(foundation),
    ttlSeconds: config["trace_store.ttl_seconds"],
    hardLimitPct: config["backpressure.hard_limit_pct"],
    closure,
  });
  const hub = createLiveHub({
    store,
    clock,
    evaluations: evaluationLog,
    metrics: newestMetrics,
    status,
  });
  const live = shared !== undefined && isStoreShared(config) ? shareLive(hub, shared) : hub;
  onWritten((keys) => live.changed(keys));
  const restoredEvaluations = store && createRestoredEvaluations({ store, evaluationLog, log });
  const sinks = [
    withoutDeleted(evaluationLog, shared?.deletions),
    // Without a store, live clients have no traces to query.
    ...(store === undefined ? [] : [live]),
    ...(exporting === undefined ? [] : [exporting.exporter]),
  ];
  return { evaluationLog, live, status, restoredEvaluations, exporting, sinks };
}

/** Returns the directions of the custom evaluation types. */
function directionsOf(types: Foundation["config"]["evaluation.types"]) {
  return Object.fromEntries(
    Object.entries(types).map(([name, { direction = "maximize" }]) => [name, direction] as const),
  );
}
