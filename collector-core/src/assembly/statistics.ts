import { createCounterHistory, type CounterHistory } from "../pipeline/stats/counter-history.js";
import { OtherSteps } from "../pipeline/stats/other-steps.js";
import { createStatsReader, type StatsReader } from "../pipeline/stats/read-stats.js";
import type { MetricSource } from "../pipeline/metrics/series-family.js";
import type { Foundation } from "./foundation.js";
import type { Measurement } from "./measurement.js";
import type { Outputs } from "./outputs.js";
import type { Pipeline } from "./pipeline.js";
import type { Storage } from "./storage.js";

/** Readers of all metrics. */
export interface Statistics {
  /** All sources of `GET /metrics`. */
  readonly sources: readonly MetricSource[];
  readonly counters: CounterHistory;
  readonly reader: StatsReader;
  /** The steps of other collectors; undefined if none are shared. */
  readonly others: OtherSteps | undefined;
}

export function createStatistics(
  { clock }: Foundation,
  { sharedStats }: Storage,
  measurement: Measurement,
  { exporting }: Outputs,
  { evaluation }: Pipeline,
): Statistics {
  const { stats } = measurement;
  const sources = [
    ...measurement.sources,
    ...(exporting === undefined ? [] : [exporting.metrics]),
    ...(evaluation === undefined ? [] : [evaluation.metrics]),
  ];
  const counters = createCounterHistory({ sources, time: stats.time });
  const others = sharedStats && new OtherSteps(stats);
  return { sources, counters, reader: createStatsReader(stats, counters, clock, others), others };
}
