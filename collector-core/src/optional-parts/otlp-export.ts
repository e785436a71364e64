import type { LoadedConfig } from "../config/load-config.js";
import type { ByteBudget } from "../in-flight/byte-budget.js";
import type { Clock } from "../interfaces.js";
import type { Logger } from "../logging/logger.js";
import { createExportMetrics } from "../pipeline/metrics/export-metrics.js";

/** The way out over OTLP, where an endpoint is set. It is loaded only then: protobuf is a tenth of the start. */
export async function createExport(
  config: LoadedConfig["config"],
  { version, clock, logger, budget }: { version: string; clock: Clock; logger: Logger; budget: ByteBudget },
) {
  const endpoint = config["exporter.otlp_endpoint"];
  if (endpoint === undefined) return undefined;
  const { createOtlpExporter } = await import("../export/otlp-exporter.js");
  const { createOtlpTransport } = await import("../export/otlp-transport.js");
  const metrics = createExportMetrics(() => exporter.pending);
  const exporter = createOtlpExporter({
    transport: createOtlpTransport({
      endpoint,
      headers: config["exporter.headers"],
      compression: config["exporter.compression"],
      now: () => clock.now(),
    }),
    budget: budget.account("export_queue"),
    batchSize: config["exporter.batch_size"],
    flushIntervalMs: config["exporter.flush_interval"] * 1000,
    maxQueueSize: config["exporter.max_queue_size"],
    maxRetries: config["exporter.max_retries"],
    version,
    clock,
    random: Math.random,
    count: (outcome, spans) => metrics.count(outcome, spans),
    log: logger.child("export"),
  });
  return { exporter, metrics };
}
