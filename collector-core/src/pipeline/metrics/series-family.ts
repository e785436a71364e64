import {
  METRIC_FAMILIES,
  OTHER_LABEL_VALUE,
  type MetricFamilyDefinition,
  type MetricFamilyName,
} from "../../api-schema/metrics.js";
import type { Labels, MetricSample, Series } from "./series.js";

/** A metric family that can be scraped. */
export interface ExposedFamily {
  readonly name: string;
  readonly type: MetricFamilyDefinition["type"];
  readonly help: string;
  /** Yields at least one chunk, possibly empty. Each chunk is read on demand and contains whole series. */
  chunks(): Iterable<readonly MetricSample[]>;
}

/** A part of the collector that exposes metrics. */
export interface MetricSource {
  families(): readonly ExposedFamily[];
}

/** Creates a family whose values are read at each scrape. */
export function readFamily(name: MetricFamilyName, read: () => readonly MetricSample[]): ExposedFamily {
  const { type, help } = METRIC_FAMILIES[name];
  return { name, type, help, chunks: () => [read()] };
}

/** Limits the total number of series of several families. */
export class SeriesBudget {
  #used = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns false when the budget is spent. */
  take(): boolean {
    if (this.#used >= this.#max) return false;
    this.#used += 1;
    return true;
  }
}

/** Series per chunk; rendering a chunk of histograms takes about 1 ms. */
const SERIES_PER_CHUNK = 50;

/**
 * The series of one family, by label tuple. Beyond the budget, new tuples share one series whose labels are all
 * `__other__` (contract 4). A series lives as long as the process, as Prometheus expects of counters.
 */
export class SeriesFamily<S extends Series> implements ExposedFamily {
  readonly type: MetricFamilyDefinition["type"];
  readonly help: string;
  readonly name: MetricFamilyName;
  readonly #labelNames: readonly string[];
  readonly #budget: SeriesBudget;
  readonly #create: (labels: Labels) => S;
  readonly #byTuple = new Map<string, S>();
  readonly #all: S[] = [];
  #overflow: S | undefined;

  constructor(
    name: MetricFamilyName,
    labelNames: readonly string[],
    budget: SeriesBudget,
    create: (labels: Labels) => S,
  ) {
    this.name = name;
    this.#labelNames = labelNames;
    this.#budget = budget;
    this.#create = create;
    ({ type: this.type, help: this.help } = METRIC_FAMILIES[name]);
  }

  /** Finds or creates the series of these labels. Absent labels are empty; labels that the family lacks are ignored. */
  resolve(labels: Labels): S {
    let tuple = "";
    for (const name of this.#labelNames) {
      const value = labels[name] ?? "";
      // The length prefix keeps adjacent values apart: "a,b" and "" differ from "a" and ",b".
      tuple += `${value.length}:${value}`;
    }
    return this.#byTuple.get(tuple) ?? this.#admit(tuple, labels);
  }

  /** Number of series. */
  get size(): number {
    return this.#all.length;
  }

  /** Number of recordings in the overflow series. */
  get overflows(): number {
    return this.#overflow?.recordings ?? 0;
  }

  *chunks(): Generator<MetricSample[]> {
    // Excludes series that are added during the scrape.
    const count = this.#all.length;
    let start = 0;
    do {
      const end = Math.min(start + SERIES_PER_CHUNK, count);
      yield this.#all.slice(start, end).flatMap((series) => series.samples());
      start = end;
    } while (start < count);
  }

  #admit(tuple: string, labels: Labels): S {
    const values = this.#labelNames.map((name) => labels[name] ?? "");
    // A tuple whose values are all `__other__` because of the label caps is the overflow series too.
    const isAllOther = values.every((value) => value === OTHER_LABEL_VALUE);
    if (isAllOther || !this.#budget.take()) {
      return (this.#overflow ??= this.#add(values.map(() => OTHER_LABEL_VALUE)));
    }
    const series = this.#add(values);
    this.#byTuple.set(tuple, series);
    return series;
  }

  #add(values: readonly string[]): S {
    const entries = this.#labelNames.map((name, index) => [name, values[index] ?? ""]);
    const series = this.#create(Object.fromEntries(entries) as Labels);
    this.#all.push(series);
    return series;
  }
}
