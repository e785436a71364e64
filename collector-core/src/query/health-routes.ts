import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { HealthSchema, NotReadySchema, ReadySchema } from "../api-schema/health.js";
import type { IngestClosure, QueueUsage } from "../interfaces.js";
import { notReadyReasons, shownPct } from "./readiness.js";

/** Options of {@link healthRoutes}. */
export interface HealthRoutesOptions {
  readonly version: string;
  readonly uptimeSeconds: () => number;
  readonly queueUsage: () => QueueUsage;
  /** `backpressure.hard_limit_pct`. */
  readonly hardLimitPct: number;
  readonly closure: () => IngestClosure | undefined;
}

const TAGS = ["probes"];

/** `GET /health` and `GET /ready` (spec 4.5, 4.6). */
export const healthRoutes: FastifyPluginAsyncTypebox<HealthRoutesOptions> = async (app, options) => {
  app.get(
    "/health",
    { schema: { tags: TAGS, summary: "Liveness probe", response: { 200: HealthSchema } } },
    async () => ({
      status: "ok" as const,
      version: options.version,
      uptime_seconds: options.uptimeSeconds(),
    }),
  );

  app.get(
    "/ready",
    {
      schema: { tags: TAGS, summary: "Readiness probe", response: { 200: ReadySchema, 503: NotReadySchema } },
    },
    async (_request, reply) => {
      const usage = options.queueUsage();
      const queuePct = shownPct(usage);
      const reasons = notReadyReasons(usage, options.hardLimitPct, options.closure());
      if (reasons.length === 0) return { status: "ready" as const, queue_pct: queuePct };
      return await reply.code(503).send({ status: "not_ready", queue_pct: queuePct, reasons });
    },
  );
};
