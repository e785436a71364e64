/**
 * READ FIRST. Creates the parts of the collector in the order in which a span passes them, and starts and stops them.
 * No part imports another: the files of `assembly/` inject the dependencies.
 */
import { createAccess } from "./assembly/access.js";
import { createDeletions } from "./assembly/deletions.js";
import { createFoundation, type StartStorageThread } from "./assembly/foundation.js";
import { createIngestRoutes } from "./assembly/ingestion.js";
import { readLedger, type Ledger } from "./assembly/ledger.js";
import { createMeasurement } from "./assembly/measurement.js";
import { createOutputs } from "./assembly/outputs.js";
import { createPipeline } from "./assembly/pipeline.js";
import { registerQueryRoutes } from "./assembly/queries.js";
import { createServer } from "./assembly/server.js";
import { createShared } from "./assembly/shared.js";
import { createStartOrder } from "./assembly/start-order.js";
import { createStatistics } from "./assembly/statistics.js";
import { createStorage } from "./assembly/storage.js";
import type { LiveStatus } from "./api-schema/live.js";
import type { TraceQuery } from "./api-schema/trace.js";
import type { LoadedConfig } from "./config/load-config.js";
import { createExemptRequests } from "./ingest/exempt-requests.js";
import type { TracePage } from "./interfaces.js";
import type { Logger } from "./logging/logger.js";
import { systemClock, type Clock } from "./runtime/clock.js";

/** Options of {@link createCollector}. */
export interface CollectorOptions {
  readonly loaded: LoadedConfig;
  readonly logger: Logger;
  readonly version: string;
  /** Directory of the built web UI, served at `/`. If undefined, only the API is served. */
  readonly uiDirectory?: string | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Starts the thread of a trace store on disk. Default: the worker of this package. */
  readonly startStorageThread?: StartStorageThread;
}

/** A collector in this process. */
export interface Collector {
  /** Base URL after the start: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Directory of the trace file after the start; undefined if traces are kept in memory. */
  readonly traceDirectory: string | undefined;
  /** Rejects if the port is in use or this user may not bind it. */
  start(): Promise<void>;
  /** Stops by spec 4.9 rule 6, within `shutdown.grace_period_seconds`. May be called twice. */
  stop(): Promise<Ledger>;
  ledger(): Ledger;
  /**
   * Refuses every batch with 503 `paused` until {@link resume}, so that SDKs keep their spans and send them again. Queued
   * spans are processed; queries and imports are answered. Does not outlive the process.
   */
  pause(): void;
  resume(): void;
  readonly isPaused: boolean;
  /** The status that `GET /v1/live` sends. Its rate covers the time since a call about a second ago. */
  status(): LiveStatus;
  /** Lists traces as `GET /v1/traces` does; undefined if the trace store is off. */
  readonly listTraces: ((query: TraceQuery) => Promise<TracePage>) | undefined;
}

export async function createCollector(options: CollectorOptions): Promise<Collector> {
  const { uiDirectory, clock = systemClock } = options;
  let stopping: Promise<Ledger> | undefined;
  let isPaused = false;
  const foundation = createFoundation({
    ...options,
    clock,
    isStopping: () => stopping !== undefined,
    closure: () => (stopping !== undefined ? "shutting_down" : isPaused ? "paused" : undefined),
  });
  const { config } = foundation;

  const shared = await createShared(foundation);
  const storage = await createStorage(foundation, shared);
  const measurement = createMeasurement(foundation, storage, shared);
  const figures = { ledger, newestMetrics: () => statistics.reader.newest() };
  const outputs = await createOutputs(foundation, storage, figures, shared);
  const pipeline = await createPipeline(foundation, storage, measurement, outputs, shared);
  const statistics = createStatistics(foundation, storage, measurement, outputs, pipeline);
  const access = createAccess(foundation, shared);
  const exemptRequests = createExemptRequests();
  const server = await createServer(foundation, measurement, access, {
    ingestRoutes: createIngestRoutes(
      foundation,
      storage,
      measurement,
      pipeline,
      access,
      exemptRequests,
      shared,
    ),
    registerRoutes: (app) =>
      registerQueryRoutes(app, {
        foundation,
        storage,
        outputs,
        pipeline,
        statistics,
        access,
        onDeleted: createDeletions(foundation, outputs, pipeline, shared),
        uiDirectory,
      }),
    exemptRequests,
  });

  const order = createStartOrder(foundation, storage, measurement, outputs, pipeline, [
    shared,
    statistics.archived,
    statistics.others,
    outputs.restoredEvaluations,
    server,
    statistics.counters,
  ]);

  function ledger(): Ledger {
    return readLedger(storage, measurement, outputs, pipeline);
  }

  const { store } = storage;
  return {
    get url() {
      return server.url;
    },
    get traceDirectory() {
      return storage.maintenance() && config["trace_store.path"];
    },
    start: () => order.start(),
    stop: () => (stopping ??= order.stop().then(ledger)),
    ledger,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
    },
    get isPaused() {
      return isPaused;
    },
    status: outputs.status,
    listTraces: store && ((query) => store.list(query)),
  };
}
