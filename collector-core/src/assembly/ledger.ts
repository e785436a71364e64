import type { EvaluationCounts } from "../pipeline/metrics/evaluation-metrics.js";
import type { ExportCounts } from "../pipeline/metrics/export-metrics.js";
import type { LedgerCounts } from "../pipeline/metrics/pipeline-metrics.js";
import type { Measurement } from "./measurement.js";
import type { Outputs } from "./outputs.js";
import type { Pipeline } from "./pipeline.js";
import type { Storage } from "./storage.js";

/** Outcome of all spans since the start (contract 4): accepted = processed + dropped + queued + in flight. */
export interface Ledger extends LedgerCounts {
  readonly queued: number;
  readonly inFlight: number;
  /** Counts of the OTLP export; undefined if it is disabled. */
  readonly exported: (ExportCounts & { readonly pending: number }) | undefined;
  /** Counts of evaluations; undefined if evaluation is disabled. */
  readonly evaluated: (EvaluationCounts & { readonly pending: number }) | undefined;
}

export function readLedger(
  { queue }: Storage,
  { pipelineMetrics }: Measurement,
  { exporting }: Outputs,
  { evaluation }: Pipeline,
): Ledger {
  const { spans, inFlight } = queue.usage();
  return {
    ...pipelineMetrics.ledger(),
    queued: spans,
    inFlight,
    exported: exporting && { ...exporting.metrics.counts(), pending: exporting.exporter.pending },
    evaluated: evaluation && { ...evaluation.metrics.counts(), pending: evaluation.evaluator.pending },
  };
}
