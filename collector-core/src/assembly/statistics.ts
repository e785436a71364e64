import { createCounterHistory, type CounterHistory } from "../pipeline/stats/counter-history.js";
import { OtherSteps } from "../pipeline/stats/other-steps.js";
import { createStatsReader, type StatsReader } from "../pipeline/stats/read-stats.js";
import type { MetricSource } from "../pipeline/metrics/series-family.js";
import { createArchivedStats, type ArchivedStats } from "./archived-stats.js";
import type { Foundation } from "./foundation.js";
import type { Measurement } from "./measurement.js";
import { createOthersStats, type OthersStats } from "./others-stats.js";
import type { Outputs } from "./outputs.js";
import type { Pipeline } from "./pipeline.js";
import type { Storage } from "./storage.js";

/** Readers of all metrics, and what the statistics of other runs and other collectors come from. */
export interface Statistics {
  /** All sources of `GET /metrics`. */
  readonly sources: readonly MetricSource[];
  readonly counters: CounterHistory;
  readonly reader: StatsReader;
  /** The statistics of earlier runs. */
  readonly archived: ArchivedStats;
  /** The statistics of other collectors; undefined if none are shared. */
  readonly others: OthersStats | undefined;
}

export function createStatistics(
  { clock, logger }: Foundation,
  { sharedStats, statsArchive }: Storage,
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
  const log = logger.child("stats");
  const otherSteps = sharedStats && new OtherSteps(stats);
  return {
    sources,
    counters,
    reader: createStatsReader(stats, counters, clock, otherSteps),
    archived: createArchivedStats({ stats, archive: statsArchive, clock, log }),
    others:
      sharedStats &&
      otherSteps &&
      createOthersStats({ others: otherSteps, archive: sharedStats, clock, log }),
  };
}
