import { METRIC_FAMILIES, type MetricFamilyDefinition } from "../../api-schema/metrics.js";
import type { PipelineSeries } from "../../api-schema/stats.js";
import type { Lifecycle } from "../../interfaces.js";
import type { ExposedFamily, MetricSource } from "../metrics/series-family.js";
import { COARSE_MS, FINE_MS, floorTo, MINUTE_MS, STEP_MS } from "./span-stats.js";
import type { StepClock } from "./step-clock.js";

/** Current value of one of the pipeline's own series. */
export interface CounterValue {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: "counter" | "gauge";
  readonly value: number;
}

/** Options of {@link createCounterHistory}. */
export interface CounterHistoryOptions {
  readonly sources: readonly MetricSource[];
  readonly time: StepClock;
}

/** History of the pipeline's own counters and gauges, by step for the last hour and by minute for the last day. */
export interface CounterHistory extends Lifecycle {
  /** The current values. */
  current(): readonly CounterValue[];
  /** One value per point, beginning at `startMs`: the increase of a counter, the maximum of a gauge. */
  read(startMs: number, stepSeconds: number, points: number): PipelineSeries[];
}

/** How often the series are sampled. It bounds how late an increase is attributed to a step. */
const SAMPLE_INTERVAL_MS = 1000;
/** Maximum number of series. All labels come from tables in the code, so the limit is only a safeguard. */
const MAX_SERIES = 1000;

/** Span families to include, summed by the given label. */
const AGGREGATED: ReadonlyMap<string, string> = new Map([["obs_evaluations_total", "outcome"]]);
const FAMILIES: ReadonlyMap<string, MetricFamilyDefinition> = new Map(Object.entries(METRIC_FAMILIES));

/** The values of one step, by the index of the series. */
type StepValues = Map<number, number>;

export function createCounterHistory({ sources, time }: CounterHistoryOptions): CounterHistory {
  const families = sources
    .flatMap((source) => source.families())
    .filter(({ name }) => AGGREGATED.has(name) || isTracked(FAMILIES.get(name)));
  const series: Omit<CounterValue, "value">[] = [];
  const indexes = new Map<string, number>();
  /** The last sampled value of each series. */
  const sampled: number[] = [];
  const fine = new Map<number, StepValues>();
  const coarse = new Map<number, StepValues>();

  function* values(): Generator<CounterValue> {
    for (const family of families) {
      const { name, type } = family;
      if (type === "histogram") continue;
      const label = AGGREGATED.get(name);
      if (label !== undefined) {
        yield* aggregatedValues(family, type, label);
        continue;
      }
      for (const chunk of family.chunks())
        for (const { labels, sharedLabels, value } of chunk)
          yield { name, type, labels: { ...sharedLabels, ...labels }, value };
    }
  }

  function indexOf({ name, labels, type }: CounterValue): number | undefined {
    const key = `${name}${JSON.stringify(labels)}`;
    const index = indexes.get(key);
    if (index !== undefined || series.length >= MAX_SERIES) return index;
    indexes.set(key, series.length);
    return series.push({ name, labels, type }) - 1;
  }

  function sampleAll(): void {
    const nowMs = time.now();
    const fineStep = stepAt(fine, nowMs, STEP_MS, FINE_MS);
    const coarseStep = stepAt(coarse, nowMs, MINUTE_MS, COARSE_MS);
    for (const each of values()) {
      const index = indexOf(each);
      if (index === undefined) continue;
      if (each.type === "gauge") {
        for (const step of [fineStep, coarseStep]) {
          if (each.value > (step.get(index) ?? 0)) step.set(index, each.value);
        }
        continue;
      }
      const increase = each.value - (sampled[index] ?? 0);
      sampled[index] = each.value;
      if (increase > 0)
        for (const step of [fineStep, coarseStep]) step.set(index, (step.get(index) ?? 0) + increase);
    }
  }

  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => void (timer ??= setInterval(sampleAll, SAMPLE_INTERVAL_MS).unref()),
    stop: () => clearInterval(timer),
    current: () => [...values()],
    read(startMs, stepSeconds, points) {
      sampleAll();
      const stepMs = stepSeconds * 1000;
      const byIndex = new Map<number, number[]>();
      for (const [ms, values] of stepMs % MINUTE_MS === 0 ? coarse : fine) {
        const point = Math.floor((ms - startMs) / stepMs);
        if (point < 0 || point >= points) continue;
        for (const [index, value] of values) {
          let row = byIndex.get(index);
          if (row === undefined) byIndex.set(index, (row = new Array<number>(points).fill(0)));
          const before = row[point] ?? 0;
          row[point] = series[index]?.type === "gauge" ? Math.max(before, value) : before + value;
        }
      }
      return [...byIndex].flatMap(([index, row]) => {
        const found = series[index];
        if (found === undefined) return [];
        const total = row.reduce((a, b) => (found.type === "gauge" ? Math.max(a, b) : a + b));
        return [{ ...found, total, values: row }];
      });
    },
  };
}

/** The values of a family, summed by one of its labels. */
function* aggregatedValues(
  family: ExposedFamily,
  type: CounterValue["type"],
  label: string,
): Generator<CounterValue> {
  const sums = new Map<string, number>();
  for (const chunk of family.chunks())
    for (const { labels, sharedLabels, value } of chunk) {
      const key = labels[label] ?? sharedLabels[label] ?? "";
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
  for (const [value, sum] of sums) yield { name: family.name, type, labels: { [label]: value }, value: sum };
}

/** Returns the values of the current step. A new step evicts steps older than the retention time. */
function stepAt(
  ring: Map<number, StepValues>,
  nowMs: number,
  stepMs: number,
  retentionMs: number,
): StepValues {
  const startMs = floorTo(nowMs, stepMs);
  let values = ring.get(startMs);
  if (values === undefined) {
    ring.set(startMs, (values = new Map<number, number>()));
    for (const old of ring.keys()) {
      if (old >= nowMs - retentionMs) break;
      ring.delete(old);
    }
  }
  return values;
}

/** Selects pipeline metrics that change with traffic: excludes build information and configured objectives. */
function isTracked(family: MetricFamilyDefinition | undefined): boolean {
  return family?.scope === "pipeline" && family.unit !== "info" && !family.labels.includes("agent");
}
