import type { FastifyInstance } from "fastify";
import { describeError, errorMessage } from "../runtime/describe-error.js";
import { isOfApi } from "../ingest/api-paths.js";
import { createExemptAddresses } from "../ingest/client-address.js";
import { createHttpServer, type HttpServer } from "../ingest/http-server.js";
import type { IngestRoute } from "../ingest/ingest-route.js";
import { createOriginGuard } from "../ingest/origin-guard.js";
import type { ExemptRequests } from "../ingest/exempt-requests.js";
import { throttle } from "../runtime/throttle.js";
import type { Access } from "./access.js";
import type { Foundation } from "./foundation.js";
import type { Measurement } from "./measurement.js";

/** Shortest interval between two warnings of too many connections. */
const CONNECTIONS_WARNING_MS = 60_000;

/** Routes of the server. */
export interface ServerRoutes {
  readonly ingestRoutes: Readonly<Record<string, IngestRoute>>;
  readonly registerRoutes: (app: FastifyInstance) => Promise<void>;
  readonly exemptRequests: ExemptRequests;
}

export function createServer(
  { config, clock, logger, budget, events }: Foundation,
  { pipelineMetrics }: Measurement,
  { apiKeys }: Access,
  { ingestRoutes, registerRoutes, exemptRequests }: ServerRoutes,
): Promise<HttpServer> {
  const log = logger.child("http");
  const warnOfConnections = throttle(CONNECTIONS_WARNING_MS, clock, (max: number) =>
    log.warning(`The limit of ${max} connections is reached: new connections are refused until some close.`),
  );
  const warnOfClient = throttle(
    CONNECTIONS_WARNING_MS,
    clock,
    ({ max, client }: { max: number; client: string }) =>
      log.warning(
        `${client} has ${max} connections, the limit per address (server.max_connections_per_address): ` +
          "its new connections are refused until some close.",
      ),
  );
  return createHttpServer({
    host: config["server.host"],
    port: config["server.port"],
    guard: createOriginGuard({
      bindHost: config["server.host"],
      allowedHosts: config["server.allowed_hosts"],
      allowedOrigins: config["server.allowed_origins"],
    }),
    tenantHeader: config["multi_tenant.header_name"],
    authorize: (request) => apiKeys.authorize(request),
    isProtected: (route) =>
      route === "/metrics" ? config["auth.protect_metrics"] : isOfApi(route) && route !== "/v1/session",
    ingestRoutes,
    registerRoutes,
    isExemptFromTimeout: (error, socket) => exemptRequests.isExempt(error, socket),
    onRequest: (route, status) => pipelineMetrics.httpRequest(route, status),
    onRefused: (request) => events.refused(request),
    onError: (route, error) =>
      log.error(`${route}: ${errorMessage(error)}`, { route, error: describeError(error) }),
    clock,
    responseBytes: budget.account("answers"),
    connections: {
      maxPerAddress: config["server.max_connections_per_address"],
      isExempt: createExemptAddresses(config["server.trusted_proxies"]),
      cutOffStalled: () => budget.cutOffStalled(),
      onRefused: (max, client) =>
        client === undefined ? warnOfConnections(max) : warnOfClient({ max, client }),
    },
  });
}
