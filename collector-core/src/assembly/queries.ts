import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { createConfigWriter } from "../config/write-config.js";
import { createJsonBodyReader } from "../ingest/json-body.js";
import { isLoopback } from "../ingest/origin-guard.js";
import { createTenantFilterReader } from "../ingest/tenant-filter.js";
import { renderMetrics } from "../pipeline/metrics/exposition.js";
import { compareRoute } from "../query/compare-route.js";
import { createTraceComparer } from "../query/compare-traces.js";
import { configRoutes, MAX_CHANGE_BYTES } from "../query/config-routes.js";
import { contextRoutes } from "../query/context-routes.js";
import { defaultTenantByHeader } from "../query/default-tenant.js";
import { markIncompleteAnswers } from "../query/incomplete-answers.js";
import { evaluationsRoutes, MAX_RUN_BYTES } from "../query/evaluations-routes.js";
import { eventsRoute } from "../query/events-route.js";
import { exportRoute } from "../query/export-route.js";
import { healthRoutes } from "../query/health-routes.js";
import { liveRoute } from "../query/live-route.js";
import { MAX_MESSAGE_BYTES, mcpRoute } from "../query/mcp/mcp-route.js";
import { metricsRoute } from "../query/metrics-route.js";
import { oneTraceRoutes } from "../query/one-trace-routes.js";
import { createContextReader } from "../query/read-context.js";
import { pricesRoute } from "../query/prices-route.js";
import { describeApi } from "../query/openapi-routes.js";
import { MAX_SESSION_BYTES, sessionRoute } from "../query/session-route.js";
import { storedViews } from "../query/saved-views.js";
import { sessionExportRoute } from "../query/session-export-route.js";
import { sessionsRoutes } from "../query/sessions-routes.js";
import { createSharedFiles } from "../query/shared-files.js";
import { statsRoute, type StatsRouteOptions } from "../query/stats-route.js";
import { MAX_TASK_BYTES, storeRoutes } from "../query/store-routes.js";
import { traceExportRoute } from "../query/trace-export-route.js";
import { tracesRoutes } from "../query/traces-routes.js";
import { uiRoute } from "../query/ui-route.js";
import { MAX_VIEW_BYTES, viewsRoutes } from "../query/views-routes.js";
import type { Access } from "./access.js";
import type { OnDeleted } from "./deletions.js";
import type { Foundation } from "./foundation.js";
import { createModelFinder } from "./model-finder.js";
import type { Outputs } from "./outputs.js";
import type { Pipeline } from "./pipeline.js";
import type { Statistics } from "./statistics.js";
import { isStoreShared, type Storage } from "./storage.js";
import { loadSharedTraceRedactor } from "./redaction.js";
import { createViews } from "./views.js";

/** Collaborators of the query routes. */
export interface QueryParts {
  readonly foundation: Foundation;
  readonly storage: Storage;
  readonly outputs: Outputs;
  readonly pipeline: Pipeline;
  readonly statistics: Statistics;
  readonly access: Access;
  readonly onDeleted: OnDeleted;
  /** If undefined, no UI is served. */
  readonly uiDirectory: string | undefined;
}

/**
 * Registers all query routes. Those that read JSON are plugins, with a parser of their own. A plugin for each of the others
 * would take a third of the start.
 */
export async function registerQueryRoutes(app: FastifyInstance, parts: QueryParts): Promise<void> {
  const { foundation, storage, outputs, pipeline, statistics, access, onDeleted, uiDirectory } = parts;
  const { loaded, config, version, clock, startedAtMs, events, closure } = foundation;
  const { queue, store } = storage;
  const { evaluationLog, live } = outputs;
  const { apiKeys } = access;
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();

  await describeApi(app, version);
  defaultTenantByHeader(app, createTenantFilterReader(access.tenants));
  markIncompleteAnswers(app, store && (() => store.usage()));
  await tracesRoutes(typed, { store, clock, onDeleted });
  await oneTraceRoutes(typed, { store, clock, onDeleted });
  const compare = createTraceComparer({ store, clock });
  await compareRoute(typed, { compare, answers: foundation.budget.account("answers") });
  const readContext = createContextReader({ store, clock, loadModels: createModelFinder(config) });
  await contextRoutes(typed, { read: readContext });
  await sessionsRoutes(typed, { store, scores: evaluationLog });
  const bodies = foundation.budget.account("request_bodies");
  await app.register(evaluationsRoutes, {
    readJson: createJsonBodyReader(MAX_RUN_BYTES, bodies),
    log: evaluationLog,
    store,
    runner: pipeline.evaluation?.runner,
    clock,
  });
  const views = createViews(foundation, storage);
  await app.register(viewsRoutes, {
    views,
    readJson: createJsonBodyReader(MAX_VIEW_BYTES, bodies),
  });
  await exportRoute(typed, { store, version, clock });
  const files = createSharedFiles({
    createRedactor: loadSharedTraceRedactor,
    overloaded: () => foundation.budget.account("answers").overloaded(),
  });
  await traceExportRoute(typed, { store, version, clock, files });
  await sessionExportRoute(typed, { store, scores: evaluationLog, version, clock, files });
  await liveRoute(typed, {
    hub: live,
    isAllowed: (headers) => apiKeys.isAllowed(headers),
    budget: foundation.budget.account("answers"),
  });
  const readStats: StatsRouteOptions["read"] = async (...query) => {
    await statistics.archived.restored;
    await statistics.others?.refreshed();
    return await statistics.reader.read(...query);
  };
  await statsRoute(typed, { read: readStats });
  await app.register(mcpRoute, {
    readJson: createJsonBodyReader(MAX_MESSAGE_BYTES, bodies),
    readTenant: createTenantFilterReader(access.tenants),
    async load() {
      const { createMcp } = await import("./mcp.js");
      return await createMcp({
        foundation,
        storage,
        pipeline,
        evaluationLog,
        compare,
        readContext,
        readStats,
      });
    },
  });
  await metricsRoute(app, {
    renderMetrics: (format) => renderMetrics(format, statistics.sources, clock),
  });
  await healthRoutes(typed, {
    version,
    uptimeSeconds: () => (clock.monotonic() - startedAtMs) / 1000,
    queueUsage: () => queue.usage(),
    hardLimitPct: config["backpressure.hard_limit_pct"],
    closure,
  });
  await app.register(sessionRoute, {
    openSession: (key, request) => apiKeys.openSession(key, request),
    closeSession: (headers) => apiKeys.closeSession(headers),
    readJson: createJsonBodyReader(MAX_SESSION_BYTES, bodies),
  });
  await eventsRoute(typed, { read: () => events.read() });
  const trusted = {
    hasKeys: config["auth.api_keys"].length > 0,
    isLoopback: (address: string) => isLoopback(address.replace(/^::ffff:/, "")),
  };
  await app.register(storeRoutes, {
    ...trusted,
    store,
    isShared: isStoreShared(config),
    maintenance: storage.maintenance,
    limits: storage.limits,
    views: async () => storedViews(await views.list()),
    onPruned: () => live.cleared(),
    readJson: createJsonBodyReader(MAX_TASK_BYTES, bodies),
    version,
    clock,
  });
  await app.register(configRoutes, {
    ...trusted,
    ...createConfigWriter(loaded),
    readJson: createJsonBodyReader(MAX_CHANGE_BYTES, bodies),
  });
  await pricesRoute(typed, { read: pipeline.pricing.describe });
  if (uiDirectory !== undefined) await uiRoute(app, { uiDirectory });
}
