import type { LiveMetrics, Stats } from "@obspan/collector-core/api-schema";
import type { CounterSnapshot } from "../../store/pipeline-store.js";

/** A series of the collector's own metrics, with its value. */
type CounterValue = LiveMetrics["pipeline"][number];

/** The pipeline's counters over a period. */
export interface Counters {
  /** Sum of all series of a metric that have these labels. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  /** Sums by the values of a label, largest first. */
  by(name: string, label: string): readonly (readonly [string, number])[];
}

export function countersOf(values: readonly CounterValue[]): Counters {
  const of = (name: string) => values.filter((each) => each.name === name);
  return {
    sum: (name, labels = {}) =>
      of(name)
        .filter((each) => Object.entries(labels).every(([label, value]) => each.labels[label] === value))
        .reduce((total, { value }) => total + value, 0),
    by(name, label) {
      const sums = new Map<string, number>();
      for (const { labels, value } of of(name)) {
        const key = labels[label] ?? "";
        sums.set(key, (sums.get(key) ?? 0) + value);
      }
      return [...sums].sort(([, a], [, b]) => b - a);
    },
  };
}

/** The counts in the time range of the statistics. */
export function windowCounters({ pipeline }: Stats): Counters {
  return countersOf(pipeline.map(({ total, ...series }) => ({ ...series, value: total })));
}

/** Rates per second over the period that the snapshots cover. */
export function ratesOf(snapshots: readonly CounterSnapshot[]): Counters {
  const first = snapshots[0];
  const last = snapshots.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return countersOf([]);
  const seconds = (last.atMs - first.atMs) / 1000;
  const keyOf = ({ name, labels }: CounterValue) => `${name}${JSON.stringify(labels)}`;
  const before = new Map(first.values.map((each) => [keyOf(each), each.value]));
  return countersOf(
    last.values
      .filter(({ type }) => type === "counter")
      .map((each) => ({
        ...each,
        // A restarted collector counts from zero again.
        value: Math.max(0, each.value - (before.get(keyOf(each)) ?? 0)) / seconds,
      })),
  );
}

/** Values of all series of a metric, one per point. */
export function seriesOf(
  stats: Stats,
  name: string,
  isWanted: (labels: CounterValue["labels"]) => boolean = () => true,
) {
  const sums = new Array<number>(stats.points).fill(0);
  for (const series of stats.pipeline) {
    if (series.name !== name || !isWanted(series.labels)) continue;
    for (const [index, value] of series.values.entries()) sums[index] = (sums[index] ?? 0) + value;
  }
  return sums;
}
