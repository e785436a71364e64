import type { OtlpExporter } from "../export/otlp-exporter.js";
import type { Foundation } from "./foundation.js";
import { createExportMetrics, type ExportMetrics } from "../pipeline/metrics/export-metrics.js";

/** The OTLP export and its metrics. */
export interface Export {
  readonly exporter: OtlpExporter;
  readonly metrics: ExportMetrics;
}

/** Creates the OTLP export if an endpoint is configured. It is imported lazily: protobuf takes 10 % of the start time. */
export async function createExport({
  config,
  version,
  clock,
  logger,
  budget,
}: Foundation): Promise<Export | undefined> {
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
