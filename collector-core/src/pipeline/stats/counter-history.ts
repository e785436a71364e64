import { METRIC_FAMILIES, type MetricFamilyDefinition } from "../../api-schema/metrics.js";
import type { PipelineSeries } from "../../api-schema/stats.js";
import type { Lifecycle } from "../../interfaces.js";
import type { ExposedFamily, MetricSource } from "../metrics/series-family.js";
import { COARSE_MS, FINE_MS, floorTo, MINUTE_MS, STEP_MS } from "./span-stats.js";
import type { StepClock } from "./step-clock.js";

/** One of the pipeline's own series, as it stands. */
export interface CounterValue {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: "counter" | "gauge";
  readonly value: number;
}

/** What {@link createCounterHistory} needs. */
export interface CounterHistoryOptions {
  readonly sources: readonly MetricSource[];
  readonly time: StepClock;
}

/** The pipeline's own counters and gauges over the steps of the last hour and the minutes of the last day. */
export interface CounterHistory extends Lifecycle {
  /** As they stand now. */
  current(): readonly CounterValue[];
  /** From a time on in points of whole steps: what was added to counters, the largest value of gauges. */
  read(startMs: number, stepSeconds: number, points: number): PipelineSeries[];
}

/** How often the series are read: a span is at most this far from its step. */
const NOTE_MS = 1000;
/** Series that are followed: their labels come from tables in the code, so that this is never reached. */
const MAX_SERIES = 1000;

/** Families of spans that tell how the pipeline does: what became of evaluations. */
const FOLDED: Readonly<Partial<Record<string, string>>> = { obs_evaluations_total: "outcome" };

/** Of one step, by the number of the series. */
type StepValues = Map<number, number>;

export function createCounterHistory({ sources, time }: CounterHistoryOptions): CounterHistory {
  const families = sources
    .flatMap((source) => source.families())
    .filter(
      ({ name }) =>
        FOLDED[name] !== undefined ||
        isFollowed((METRIC_FAMILIES as Partial<Record<string, MetricFamilyDefinition>>)[name]),
    );
  const series: Omit<CounterValue, "value">[] = [];
  const numbers = new Map<string, number>();
  const seen: number[] = [];
  const fine = new Map<number, StepValues>();
  const coarse = new Map<number, StepValues>();

  function* values(): Generator<CounterValue> {
    for (const family of families) {
      const { name, type } = family;
      if (type === "histogram") continue;
      const folded = FOLDED[name];
      if (folded !== undefined) {
        yield* foldedValues(family, type, folded);
        continue;
      }
      for (const chunk of family.chunks())
        for (const { labels, sharedLabels, value } of chunk)
          yield { name, type, labels: { ...sharedLabels, ...labels }, value };
    }
  }

  function numberOf({ name, labels, type }: CounterValue): number | undefined {
    const key = `${name}${JSON.stringify(labels)}`;
    const known = numbers.get(key);
    if (known !== undefined || series.length >= MAX_SERIES) return known;
    numbers.set(key, series.length);
    return series.push({ name, labels, type }) - 1;
  }

  function note(): void {
    const nowMs = time.now();
    const fineStep = stepAt(fine, nowMs, STEP_MS, FINE_MS);
    const coarseStep = stepAt(coarse, nowMs, MINUTE_MS, COARSE_MS);
    for (const each of values()) {
      const number = numberOf(each);
      if (number === undefined) continue;
      if (each.type === "gauge") {
        for (const step of [fineStep, coarseStep]) {
          if (each.value > (step.get(number) ?? 0)) step.set(number, each.value);
        }
        continue;
      }
      const added = each.value - (seen[number] ?? 0);
      seen[number] = each.value;
      if (added > 0)
        for (const step of [fineStep, coarseStep]) step.set(number, (step.get(number) ?? 0) + added);
    }
  }

  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => void (timer ??= setInterval(note, NOTE_MS).unref()),
    stop: () => clearInterval(timer),
    current: () => [...values()],
    read(startMs, stepSeconds, points) {
      note();
      const stepMs = stepSeconds * 1000;
      const byNumber = new Map<number, number[]>();
      for (const [ms, values] of stepMs % MINUTE_MS === 0 ? coarse : fine) {
        const point = Math.floor((ms - startMs) / stepMs);
        if (point < 0 || point >= points) continue;
        for (const [number, value] of values) {
          let row = byNumber.get(number);
          if (row === undefined) byNumber.set(number, (row = new Array<number>(points).fill(0)));
          const before = row[point] ?? 0;
          row[point] = series[number]?.type === "gauge" ? Math.max(before, value) : before + value;
        }
      }
      return [...byNumber].flatMap(([number, row]) => {
        const which = series[number];
        if (which === undefined) return [];
        const total = row.reduce((a, b) => (which.type === "gauge" ? Math.max(a, b) : a + b));
        return [{ ...which, total, values: row }];
      });
    },
  };
}

/** A family that tells apart more than the pipeline does: summed up by one of its labels. */
function* foldedValues(
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

/** The values of the step under way, by when it began. Steps that are too old are forgotten when a new one begins. */
function stepAt(ring: Map<number, StepValues>, nowMs: number, stepMs: number, reachMs: number): StepValues {
  const startMs = floorTo(nowMs, stepMs);
  let values = ring.get(startMs);
  if (values === undefined) {
    ring.set(startMs, (values = new Map<number, number>()));
    for (const old of ring.keys()) {
      if (old >= nowMs - reachMs) break;
      ring.delete(old);
    }
  }
  return values;
}

/** Counters and gauges of the pipeline that tell of spans: not what never changes, nor what is set by a user. */
function isFollowed(family: MetricFamilyDefinition | undefined): boolean {
  return family?.scope === "pipeline" && family.unit !== "info" && !family.labels.includes("agent");
}
