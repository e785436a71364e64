/**
 * READ FIRST. Builds the parts of the collector in the order in which a span travels, starts and stops them. No part
 * imports another: the files of `assembly/` give each what it needs of the others.
 */
import { createAccess } from "./assembly/access.js";
import { createFoundation } from "./assembly/foundation.js";
import { createIngestRoutes } from "./assembly/ingestion.js";
import { readLedger, type Ledger } from "./assembly/ledger.js";
import { startInOrder, stopInReverse, type StartedPart } from "./assembly/lifecycle.js";
import { createMeasurement } from "./assembly/measurement.js";
import { createOutputs } from "./assembly/outputs.js";
import { createPipeline } from "./assembly/pipeline.js";
import { registerQueryRoutes } from "./assembly/queries.js";
import { createServer } from "./assembly/server.js";
import { createStatistics } from "./assembly/statistics.js";
import { createStorage } from "./assembly/storage.js";
import type { LoadedConfig } from "./config/load-config.js";
import { createExemptRequests } from "./ingest/exempt-requests.js";
import type { Clock } from "./runtime/clock.js";
import type { Logger } from "./logging/logger.js";
import { systemClock } from "./runtime/clock.js";

/** Options of {@link createCollector}. */
export interface CollectorOptions {
  readonly loaded: LoadedConfig;
  readonly logger: Logger;
  readonly version: string;
  /** The built web UI, served at `/`. Undefined: the collector answers its API only. */
  readonly uiDirectory?: string | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** A collector in this process. */
export interface Collector {
  /** Where it listens, once started: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Rejects where the port is taken or must not be bound. */
  start(): Promise<void>;
  /** Stops by spec 4.9 rule 6, within `shutdown.grace_period_seconds`. Safe twice. */
  stop(): Promise<Ledger>;
  ledger(): Ledger;
}

export async function createCollector(options: CollectorOptions): Promise<Collector> {
  const { uiDirectory, clock = systemClock } = options;
  let stopping: Promise<Ledger> | undefined;
  const foundation = createFoundation({ ...options, clock, isStopping: () => stopping !== undefined });
  const { config } = foundation;

  const storage = createStorage(foundation);
  const measurement = createMeasurement(foundation, storage);
  const outputs = await createOutputs(foundation, storage, {
    ledger,
    newestMetrics: () => statistics.reader.newest(),
  });
  const pipeline = await createPipeline(foundation, storage, measurement, outputs);
  const statistics = createStatistics(foundation, measurement, outputs, pipeline);
  const access = createAccess(foundation);
  const exemptRequests = createExemptRequests();
  const server = await createServer(foundation, measurement, access, {
    ingestRoutes: createIngestRoutes(foundation, storage, measurement, pipeline, access, exemptRequests),
    registerRoutes: (app) =>
      registerQueryRoutes(app, { foundation, storage, outputs, pipeline, statistics, access, uiDirectory }),
    exemptRequests,
  });

  const { queue, store } = storage;
  const { worker, evaluation } = pipeline;
  const isDrained = config["shutdown.drain_queue"];
  /** In the order of their start. The server stops late: new spans are refused with 503 while others are processed. */
  const parts: readonly StartedPart[] = [
    ...(store === undefined ? [] : [store]),
    server,
    statistics.counters,
    outputs.live,
    ...(outputs.exporting === undefined ? [] : [outputs.exporting.exporter]),
    ...(evaluation === undefined ? [] : [stoppedBeforeExport(evaluation.evaluator)]),
    { start: () => worker.start(), stop: stopWorker },
  ];

  function ledger(): Ledger {
    return readLedger(storage, measurement, outputs, pipeline);
  }

  /** Processes what waits, and counts what is lost where the time is not enough. */
  async function stopWorker(deadlineMs: number): Promise<void> {
    if (isDrained) await worker.drain(deadlineMs);
    await worker.stop(deadlineMs);
    const lost = await queue.abandon();
    if (lost > 0) measurement.pipelineMetrics.dropped("shutdown", lost);
  }

  /** Scores are exported too: some of the time is left for that. */
  function stoppedBeforeExport(evaluator: {
    stop(deadlineMs: number, drain: boolean): Promise<void>;
  }): StartedPart {
    return {
      stop(deadlineMs) {
        const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
        return evaluator.stop(deadlineMs - Math.min(remainingMs / 4, MAX_EXPORT_RESERVE_MS), isDrained);
      },
    };
  }

  async function stop(): Promise<Ledger> {
    const deadlineMs = clock.monotonic() + config["shutdown.grace_period_seconds"] * 1000;
    await stopInReverse(parts, deadlineMs);
    return ledger();
  }

  return {
    get url() {
      return server.url;
    },
    start: () => startInOrder(parts),
    stop: () => (stopping ??= stop()),
    ledger,
  };
}

/** Of what is left of the grace period, so much at most is reserved for the export when evaluation stops. */
const MAX_EXPORT_RESERVE_MS = 5000;
