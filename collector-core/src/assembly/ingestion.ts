import { createImportRoute } from "../ingest/import-route.js";
import { createIngestGate } from "../ingest/ingest-gate.js";
import { lazyRoute, type IngestRoute } from "../ingest/ingest-route.js";
import { createLinkMemories, createLinksOf } from "../ingest/link-memory.js";
import type { OtherSignal } from "../ingest/otlp-other-signals.js";
import type { ExemptRequests } from "../ingest/exempt-requests.js";
import { createRateLimits } from "../ingest/rate-limits.js";
import { createBodyReader } from "../ingest/request-body.js";
import { createTelemetryRoute } from "../ingest/telemetry-route.js";
import { createTenantReader } from "../ingest/tenant.js";
import type { Access } from "./access.js";
import type { Foundation } from "./foundation.js";
import type { Measurement } from "./measurement.js";
import type { Pipeline } from "./pipeline.js";
import type { Shared } from "./shared.js";
import type { Storage } from "./storage.js";

/** Creates the ingestion routes. */
export function createIngestRoutes(
  foundation: Foundation,
  { queue }: Storage,
  { pipelineMetrics }: Measurement,
  { beginImport }: Pipeline,
  { addressOf, apiKeys, tenants }: Access,
  exemptRequests: ExemptRequests,
  shared: Shared | undefined,
): Readonly<Record<string, IngestRoute>> {
  const { config, clock, budget, logger, isStopping, closure } = foundation;
  const log = logger.child("http");
  const maxBodyBytes = config["limits.max_body_bytes"];
  const common = {
    queue,
    counters: pipelineMetrics,
    clock,
    gate: createIngestGate({
      rateLimits: config["rate_limit.enabled"]
        ? createRateLimits({
            perIpRpm: config["rate_limit.per_ip_rpm"],
            perServiceRpm: config["rate_limit.per_service_rpm"],
            shared: shared?.buckets,
          })
        : undefined,
      addressOf,
      authorize: (request) => apiKeys.authorize(request),
    }),
    readBody: createBodyReader({ maxBodyBytes, budget: budget.account("request_bodies") }),
    readTenant: createTenantReader(tenants),
    isStopping,
    closure,
    maxBodyBytes,
  };
  return {
    "/v1/telemetry": createTelemetryRoute(common),
    "/v1/traces": lazyRoute(async () => {
      const { createOtlpTracesRoute } = await import("../ingest/otlp-traces-route.js");
      return createOtlpTracesRoute({
        ...common,
        linksOf: createLinksOf(createLinkMemories(clock), shared?.marks),
      });
    }),
    "/v1/import": createImportRoute({
      ...common,
      beginImport,
      exemptRequests,
      lineBudget: budget.account("import_lines"),
      onAborted: (kept) => log.warning(`The client of an import disconnected. ${kept}`),
      count: (outcome, spans) => pipelineMetrics.imported(outcome, spans),
    }),
    "/v1/metrics": otherSignal("metrics"),
    "/v1/logs": otherSignal("logs"),
  };
}

function otherSignal(signal: OtherSignal): IngestRoute {
  return lazyRoute(async () =>
    (await import("../ingest/otlp-other-signals.js")).createOtherSignalRoute(signal),
  );
}
