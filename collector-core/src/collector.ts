/**
 * READ FIRST. Builds the parts of the collector, joins them in the order in which a span travels, starts and stops
 * them. No part imports another: what they need of each other is given to them here.
 */
import { describeConfig } from "./config/describe-config.js";
import type { LoadedConfig } from "./config/load-config.js";
import { createConfigWriter } from "./config/write-config.js";
import { describeError } from "./describe-error.js";
import { createApiKeys } from "./ingest/api-keys.js";
import { createByteBudget, type ByteBudget } from "./in-flight/byte-budget.js";
import { defaultInFlightBytes } from "./in-flight/default-limit.js";
import { createClientAddressReader, createExemptAddresses } from "./ingest/client-address.js";
import { createHttpServer } from "./ingest/http-server.js";
import { createLinkMemories } from "./ingest/link-memory.js";
import { createImportRoute } from "./ingest/import-route.js";
import { createIngestGate } from "./ingest/ingest-gate.js";
import { loadedWhenAsked, type IngestRoute } from "./ingest/ingest-route.js";
import type { OtherSignal } from "./ingest/otlp-other-signals.js";
import { createOriginGuard, isLoopback } from "./ingest/origin-guard.js";
import { createOwnPace } from "./ingest/own-pace.js";
import { createRateLimits } from "./ingest/rate-limits.js";
import { createBodyReader } from "./ingest/request-body.js";
import { createTenantFilterReader } from "./ingest/tenant-filter.js";
import { createTenantReader } from "./ingest/tenant.js";
import { createTelemetryRoute } from "./ingest/telemetry-route.js";
import type { Clock, SpanSink, TraceKey, TraceStore } from "./interfaces.js";
import type { Logger } from "./logging/logger.js";
import { createTurnIfDue, nextTurn } from "./loop-turn.js";
import { createDerivedSpans } from "./pipeline/derived-spans.js";
import { createSpanImporter } from "./pipeline/import-spans.js";
import { createLeafUsage } from "./pipeline/leaf-usage.js";
import { LostSpans } from "./pipeline/lost-spans.js";
import type { EvaluationCounts } from "./pipeline/metrics/evaluation-metrics.js";
import type { ExportCounts } from "./pipeline/metrics/export-metrics.js";
import { renderMetrics } from "./pipeline/metrics/exposition.js";
import { createObjectiveGauges } from "./pipeline/metrics/objective-gauges.js";
import { createPipelineMetrics, type LedgerCounts } from "./pipeline/metrics/pipeline-metrics.js";
import { createSpanMetrics } from "./pipeline/metrics/span-metrics.js";
import { onceIn } from "./once-in.js";
import { directionsOf, evaluatedLabels } from "./optional-parts/evaluated-labels.js";
import { createEvaluation } from "./optional-parts/evaluation.js";
import { createExport } from "./optional-parts/otlp-export.js";
import { createRedactor } from "./optional-parts/redaction.js";
import { createPipelines } from "./pipeline/pipelines.js";
import { createSpanReader } from "./pipeline/read-spans.js";
import { withoutRedaction } from "./pipeline/redaction/redactor.js";
import { createCounterHistory } from "./pipeline/stats/counter-history.js";
import { createStatsReader } from "./pipeline/stats/read-stats.js";
import { createSpanStats } from "./pipeline/stats/span-stats.js";
import { createTraceSampler } from "./pipeline/trace-sampler.js";
import { createWorker } from "./pipeline/worker.js";
import { configRoutes } from "./query/config-routes.js";
import { defaultTenantByHeader } from "./query/default-tenant.js";
import { createEvaluationLog } from "./query/evaluation-log.js";
import { evaluationsRoutes } from "./query/evaluations-routes.js";
import { eventsRoute } from "./query/events-route.js";
import { exportRoute } from "./query/export-route.js";
import { healthRoutes } from "./query/health-routes.js";
import { createLiveHub } from "./query/live-hub.js";
import { liveRoute } from "./query/live-route.js";
import { createLiveStatus } from "./query/live-status.js";
import { metricsRoute } from "./query/metrics-route.js";
import { oneTraceRoutes } from "./query/one-trace-routes.js";
import { describeApi } from "./query/openapi-routes.js";
import { sessionRoute } from "./query/session-route.js";
import { statsRoute } from "./query/stats-route.js";
import { tracesRoutes } from "./query/traces-routes.js";
import { uiRoute } from "./query/ui-route.js";
import { createMemoryQueue } from "./queue/memory-queue.js";
import { createPressureLog } from "./queue/pressure-log.js";
import { createRecentEvents, watchWarnings } from "./recent-events.js";
import { createMemoryTraceStore } from "./store/memory-trace-store.js";
import { systemClock } from "./system-clock.js";

/** What {@link createCollector} needs. */
export interface CollectorOptions {
  readonly loaded: LoadedConfig;
  readonly logger: Logger;
  readonly version: string;
  /** The built web UI, served at `/`. Undefined: the collector answers its API only. */
  readonly uiDirectory?: string | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** What became of all spans since the start (contract 4): accepted = processed + dropped + queued + in flight. */
export interface Ledger extends LedgerCounts {
  readonly queued: number;
  readonly inFlight: number;
  /** Of the OTLP export; undefined where there is none. */
  readonly exported: (ExportCounts & { readonly pending: number }) | undefined;
  /** Of the evaluations; undefined where evaluation is off. */
  readonly evaluated: (EvaluationCounts & { readonly pending: number }) | undefined;
}

/** A collector in this process. */
export interface Collector {
  /** Where it listens, once started: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Rejects where the port is taken or may not be bound. */
  start(): Promise<void>;
  /** Stops by spec 4.9 rule 6, within `shutdown.grace_period_seconds`. Safe twice. */
  stop(): Promise<Ledger>;
  ledger(): Ledger;
}

export async function createCollector(options: CollectorOptions): Promise<Collector> {
  const { loaded, version, clock = systemClock } = options;
  const { config } = loaded;
  const startedAtMs = clock.monotonic();
  let stopping: Promise<Ledger> | undefined;
  const isStopping = (): boolean => stopping !== undefined;
  const events = createRecentEvents(clock);
  const logger = watchWarnings(options.logger, events);
  for (const message of loaded.warnings) events.warned({ level: "WARNING", logger: "config", message });

  // 1. Where spans wait.
  const limits = {
    capacitySpans: config["limits.max_queue_size"],
    capacityBytes: config["limits.max_queue_bytes"],
    softLimitPct: config["backpressure.soft_limit_pct"],
    hardLimitPct: config["backpressure.hard_limit_pct"],
    mode: config["backpressure.mode"],
  };
  const queue = createMemoryQueue({
    ...limits,
    onLevel: createPressureLog({ logger: logger.child("queue"), clock, limits }),
  });

  // Beside the queue and the store: what work under way may hold together.
  const budget = createByteBudget({
    limitBytes: config["limits.max_in_flight_bytes"] ?? defaultInFlightBytes(),
    clock,
  });

  // 2. What becomes of them: metrics of every span, then the trace store for the sampled ones.
  const store = config["trace_store.enabled"] ? createStore(config, clock, budget) : undefined;
  const metrics = createPipelineMetrics({
    version,
    queueUsage: () => queue.usage(),
    inFlight: () => budget.usage(),
    storeUsage: store && (() => store.usage()),
  });
  const stats = createSpanStats({ clock, durationBuckets: config["histograms.duration_buckets"] });
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
  const exporting = await createExport(config, { version, clock, logger, budget });

  // 3. Who is told as it happens.
  const evaluationLog = createEvaluationLog({
    thresholds: config["evaluation.thresholds"],
    directions: directionsOf(config["evaluation.types"]),
    labelsOf: (key, spanId) => evaluatedLabels(store, key, spanId),
  });
  const live = createLiveHub({
    store,
    clock,
    evaluations: evaluationLog,
    metrics: () => statsReader.newest(),
    status: createLiveStatus({
      version,
      startedAtMs,
      clock,
      ledger,
      queueUsage: () => queue.usage(),
      storeUsage: store && (() => store.usage()),
      maxTraces: config["limits.max_traces"],
      hardLimitPct: config["backpressure.hard_limit_pct"],
      isStopping,
    }),
  });

  // 4. What leaves text out before anything keeps it, and the places where spans end.
  const workerLog = logger.child("worker");
  const onError = (where: string, error: unknown): void =>
    workerLog.error(`${where} failed: ${describeError(error)}`, { where });
  const redactor = await createRedactor(config, {
    counters: metrics,
    onFailure: (error) => workerLog.warning(`redaction failed: ${describeError(error)}`),
    clock,
    nextTurn,
  });
  const sinks = [
    ...(store === undefined ? [evaluationLog] : [storeSink(store), evaluationLog, live]),
    ...(exporting ? [exporting.exporter] : []),
  ];

  const lost = new LostSpans((error) => onError("pipeline", error));
  const pipelines = createPipelines({
    maxSpanAttributes: config["limits.max_span_attributes"],
    spanMetrics: {
      record: ({ facts, context, countsUsage, isSampled }) =>
        spanMetrics.record(facts, context, countsUsage, isSampled),
      recordEvaluation: ({ facts, context }) => spanMetrics.recordEvaluation(facts, context),
    },
    counters: metrics,
    lost,
    redactor: redactor === withoutRedaction ? undefined : redactor,
    turnIfDue: createTurnIfDue({ clock, sliceMs: REDACTION_SLICE_MS, nextTurn }),
    sinks,
    onError,
  });

  // 5. The judge, which looks at spans when they are there already: its scores are spans that end where they do.
  const evaluation = await createEvaluation(config, {
    clock,
    redactor,
    spanMetrics,
    deliver: createDerivedSpans({ pipeline: pipelines.derived, onError }),
    log: logger.child("evaluation"),
    budget: budget.account("evaluation_queue"),
  });
  const metricSources = [spanMetrics, objectives, metrics, exporting?.metrics, evaluation?.metrics].filter(
    (source) => source !== undefined,
  );
  const counters = createCounterHistory({ sources: metricSources, time: stats.time });
  const statsReader = createStatsReader(stats, counters, clock);

  // 6. The way from the one to the other, beside the HTTP handlers.
  const leafUsage = createLeafUsage(clock);
  const worker = createWorker({
    queue,
    readSpans: createSpanReader({
      leafUsage,
      sampler: createTraceSampler(config["sampling.rate"]),
      counters: metrics,
      lost,
    }),
    pipeline: pipelines.received(evaluation?.evaluator),
    lost,
    counters: metrics,
    clock,
    onError,
  });

  // 7. The ways in and out.
  const importSpans =
    store &&
    createSpanImporter({
      readSpans: createSpanReader({
        leafUsage,
        sampler: createTraceSampler(1),
        counters: { invalidValue: () => undefined },
        lost: new LostSpans((error) => onError("import", error)),
      }),
      pipeline: (keep) => pipelines.imported(keep),
      keep: async (spans) => {
        const { max_traces = 0, max_bytes = 0, ttl = 0 } = await store.append(spans, { isImport: true });
        await evaluationLog.offer(spans);
        await live.offer(spans);
        return max_traces + max_bytes + ttl;
      },
    });
  const addressOf = createClientAddressReader(config["server.trusted_proxies"]);
  const apiKeys = createApiKeys({ keys: config["auth.api_keys"], clock, addressOf });
  const httpLog = logger.child("http");
  const writeConfig = createConfigWriter(loaded);
  const tenants = {
    enabled: config["multi_tenant.enabled"],
    headerName: config["multi_tenant.header_name"],
  };
  const ingestion = {
    queue,
    counters: metrics,
    clock,
    gate: createIngestGate({
      rateLimits: config["rate_limit.enabled"]
        ? createRateLimits({
            perIpRpm: config["rate_limit.per_ip_rpm"],
            perServiceRpm: config["rate_limit.per_service_rpm"],
          })
        : undefined,
      addressOf,
      authorize: (request) => apiKeys.authorize(request),
    }),
    readBody: createBodyReader({
      maxBodyBytes: config["limits.max_body_bytes"],
      budget: budget.account("request_bodies"),
    }),
    readTenant: createTenantReader(tenants),
    isStopping,
  };
  const warnOfConnections = onceIn(CONNECTIONS_WARNING_MS, clock, (max: number) =>
    httpLog.warning(
      `There are ${max} connections, as many as are taken: new ones are refused until some close.`,
    ),
  );
  const warnOfClient = onceIn(
    CONNECTIONS_WARNING_MS,
    clock,
    ({ max, client }: { max: number; client: string }) =>
      httpLog.warning(
        `${client} has ${max} connections, as many as one address may have (server.max_connections_per_address): ` +
          "its new ones are refused until some close.",
      ),
  );
  const ownPace = createOwnPace();
  const server = await createHttpServer({
    host: config["server.host"],
    port: config["server.port"],
    guard: createOriginGuard({
      bindHost: config["server.host"],
      allowedHosts: config["server.allowed_hosts"],
      allowedOrigins: config["server.allowed_origins"],
    }),
    authorize: (request) => apiKeys.authorize(request),
    isProtected: (route) =>
      route === "/metrics"
        ? config["auth.protect_metrics"]
        : route.startsWith("/v1/") && route !== "/v1/session",
    ingestRoutes: {
      "/v1/telemetry": createTelemetryRoute(ingestion),
      "/v1/traces": loadedWhenAsked(async () => {
        const { createOtlpTracesRoute } = await import("./ingest/otlp-traces-route.js");
        return createOtlpTracesRoute({
          ...ingestion,
          linksOf: createLinkMemories(clock),
          maxBodyBytes: config["limits.max_body_bytes"],
        });
      }),
      "/v1/import": createImportRoute({
        ...ingestion,
        importSpans,
        maxBodyBytes: config["limits.max_body_bytes"],
        ownPace,
        lineBudget: budget.account("import_lines"),
        onAborted: (kept) => httpLog.warning(`The sender of an import went away. ${kept}`),
        count: (outcome, spans) => metrics.imported(outcome, spans),
      }),
      "/v1/metrics": otherSignal("metrics"),
      "/v1/logs": otherSignal("logs"),
    },
    registerRoutes: async (app) => {
      await describeApi(app, version);
      defaultTenantByHeader(app, createTenantFilterReader(tenants));
      await app.register(tracesRoutes, { store, clock, onCleared: forget });
      await app.register(oneTraceRoutes, { store, clock, onCleared: forget });
      await app.register(evaluationsRoutes, {
        log: evaluationLog,
        store,
        runner: evaluation?.runner,
        clock,
      });
      await app.register(exportRoute, { store, version, clock });
      await app.register(liveRoute, { hub: live, isAllowed: (headers) => apiKeys.isAllowed(headers) });
      await app.register(statsRoute, { read: (...question) => statsReader.read(...question) });
      await app.register(metricsRoute, {
        renderMetrics: (format) => renderMetrics(format, metricSources, clock),
      });
      await app.register(healthRoutes, {
        version,
        uptimeSeconds: () => (clock.monotonic() - startedAtMs) / 1000,
        queueUsage: () => queue.usage(),
        hardLimitPct: config["backpressure.hard_limit_pct"],
        isStopping,
      });
      await app.register(sessionRoute, {
        openSession: (key, request) => apiKeys.openSession(key, request),
        closeSession: (headers) => apiKeys.closeSession(headers),
      });
      await app.register(eventsRoute, { read: () => events.read() });
      await app.register(configRoutes, {
        describe: () => describeConfig(loaded),
        write: writeConfig,
        hasKeys: config["auth.api_keys"].length > 0,
        isLoopback: (address) => isLoopback(address.replace(/^::ffff:/, "")),
      });
      if (options.uiDirectory !== undefined)
        await app.register(uiRoute, { uiDirectory: options.uiDirectory });
    },
    sparesTimeLimit: (error, socket) => ownPace.spares(error, socket),
    onRequest: (route, status) => metrics.httpRequest(route, status),
    onRefused: (request) => events.refused(request),
    onError: (route, error) => httpLog.error(`${route}: ${describeError(error)}`, { route }),
    clock,
    answers: budget.account("answers"),
    connections: {
      maxPerAddress: config["server.max_connections_per_address"],
      isExempt: createExemptAddresses(config["server.trusted_proxies"]),
      cutOffStalled: () => budget.cutOffStalled(),
      onRefused: (max, client) =>
        client === undefined ? warnOfConnections(max) : warnOfClient({ max, client }),
    },
  });

  /** Traces were deleted: nothing is to be said of them any more. */
  function forget(isDeleted: (key: TraceKey) => boolean): void {
    evaluation?.evaluator.cancel(isDeleted);
    evaluationLog.remove(isDeleted);
    live.cleared();
  }

  function ledger(): Ledger {
    const { spans, inFlight } = queue.usage();
    const exported = exporting && { ...exporting.metrics.counts(), pending: exporting.exporter.pending };
    const evaluated = evaluation && { ...evaluation.metrics.counts(), pending: evaluation.evaluator.pending };
    return { ...metrics.ledger(), queued: spans, inFlight, exported, evaluated };
  }

  /** Spec 4.9 rule 6. New spans are refused with 503 from here on, while what was accepted is processed. */
  async function stop(): Promise<Ledger> {
    const deadlineMs = clock.monotonic() + config["shutdown.grace_period_seconds"] * 1000;
    if (config["shutdown.drain_queue"]) await worker.drain(deadlineMs);
    await worker.stop(deadlineMs);
    const lost = await queue.abandon();
    if (lost > 0) metrics.dropped("shutdown", lost);
    // What it still finds out is exported too: that needs some of the time.
    const remainingMs = Math.max(0, deadlineMs - clock.monotonic());
    await evaluation?.evaluator.stop(
      deadlineMs - Math.min(remainingMs / 4, MAX_EXPORT_RESERVE_MS),
      config["shutdown.drain_queue"],
    );
    await exporting?.exporter.stop(deadlineMs);
    await live.stop();
    await counters.stop();
    await server.stop();
    await store?.stop();
    return ledger();
  }

  return {
    get url() {
      return server.url;
    },
    async start() {
      await store?.start();
      await live.start();
      await counters.start();
      await exporting?.exporter.start();
      worker.start();
      await server.start();
    },
    stop: () => (stopping ??= stop()),
    ledger,
  };
}

function createStore(config: LoadedConfig["config"], clock: Clock, budget: ByteBudget): TraceStore {
  return createMemoryTraceStore({
    maxTraces: config["limits.max_traces"],
    maxSpansPerTrace: config["trace_store.max_spans_per_trace"],
    ttlSeconds: config["trace_store.ttl_seconds"],
    maxBytes: config["trace_store.max_bytes"],
    evictedInUse: budget.account("evicted_traces"),
    clock,
  });
}

/** Of what is left of the grace period, so much at most is for the export when evaluations end. */
const MAX_EXPORT_RESERVE_MS = 5000;

function storeSink(store: TraceStore): SpanSink {
  return {
    name: "trace store",
    async offer(spans) {
      await store.append(spans);
    },
  };
}

function otherSignal(signal: OtherSignal): IngestRoute {
  return loadedWhenAsked(async () =>
    (await import("./ingest/otlp-other-signals.js")).createOtherSignalRoute(signal),
  );
}

/** How long spans are redacted in one turn of the event loop while ingestion is busy. */
const REDACTION_SLICE_MS = 25;

/** How long a warning of full connections stands before it is said again. */
const CONNECTIONS_WARNING_MS = 60_000;
