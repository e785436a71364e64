import type { ExportOutcome } from "../../interfaces.js";
import { readFamily, type MetricSource } from "./series-family.js";
import { sample } from "./series.js";

/** Exported spans by outcome, without the pending ones (contract 4, the ledger). */
export type ExportCounts = Readonly<Record<ExportOutcome, number>>;

/** The metrics of the OTLP export. */
export interface ExportMetrics extends MetricSource {
  count(outcome: ExportOutcome, spans: number): void;
  counts(): ExportCounts;
}

/** @param pending - the number of spans queued or in flight, read at each scrape. */
export function createExportMetrics(pending: () => number): ExportMetrics {
  const counts: Record<ExportOutcome, number> = {
    exported: 0,
    queue_full: 0,
    retries_exhausted: 0,
    permanent: 0,
    partial: 0,
    shutdown: 0,
  };
  const families = [
    readFamily("obs_export_spans_total", () =>
      Object.entries(counts).map(([outcome, spans]) => sample(spans, { outcome })),
    ),
    readFamily("obs_export_queue_size", () => [sample(pending())]),
  ];
  return {
    count: (outcome, spans) => void (counts[outcome] += spans),
    counts: () => ({ ...counts }),
    families: () => families,
  };
}
