import {
  METRIC_FAMILIES,
  OTHER_LABEL_VALUE,
  type MetricFamilyDefinition,
  type MetricFamilyName,
} from "../../api-schema/metrics.js";
import type { Labels, MetricSample, Series } from "./series.js";

/** A family as a scrape reads it. */
export interface ExposedFamily {
  readonly name: string;
  readonly type: MetricFamilyDefinition["type"];
  readonly help: string;
  /** At least one chunk, if only an empty one. Each is read when it is asked for: no series is torn. */
  chunks(): Iterable<readonly MetricSample[]>;
}

/** A part of the collector that has metrics to show. */
export interface MetricSource {
  families(): readonly ExposedFamily[];
}

/** A family whose values are read when it is scraped. */
export function readFamily(name: MetricFamilyName, read: () => readonly MetricSample[]): ExposedFamily {
  const { type, help } = METRIC_FAMILIES[name];
  return { name, type, help, chunks: () => [read()] };
}

/** How many series the families that share it may hold together. */
export class SeriesBudget {
  private used = 0;

  constructor(private readonly max: number) {}

  /** @returns false where the budget is spent. */
  take(): boolean {
    if (this.used >= this.max) return false;
    this.used += 1;
    return true;
  }
}

/** Series rendered without a pause: a millisecond for histograms. */
const SERIES_PER_CHUNK = 50;

/**
 * The series of one family, by label tuple. Beyond the budget everything goes to the one series whose labels are all
 * `__other__` (contract 4). A series stays for the life of the process, as Prometheus expects of counters.
 */
export class SeriesFamily<S extends Series> implements ExposedFamily {
  readonly type: MetricFamilyDefinition["type"];
  readonly help: string;
  private readonly byTuple = new Map<string, S>();
  private readonly all: S[] = [];
  private overflow: S | undefined;

  constructor(
    readonly name: MetricFamilyName,
    private readonly labelNames: readonly string[],
    private readonly budget: SeriesBudget,
    private readonly create: (labels: Labels) => S,
  ) {
    ({ type: this.type, help: this.help } = METRIC_FAMILIES[name]);
  }

  /** The series of these labels; an absent one is the empty string, one that the family does not carry is ignored. */
  resolve(labels: Labels): S {
    let tuple = "";
    for (const name of this.labelNames) {
      const value = labels[name] ?? "";
      // With its length before it no value can run into the next: "a,b" and "" differ from "a" and ",b".
      tuple += `${value.length}:${value}`;
    }
    return this.byTuple.get(tuple) ?? this.admit(tuple, labels);
  }

  /** Series so far. */
  get size(): number {
    return this.all.length;
  }

  /** Recordings that lost all their labels. */
  get overflows(): number {
    return this.overflow?.recordings ?? 0;
  }

  *chunks(): Generator<MetricSample[]> {
    // What is added during the scrape is for the next one.
    const count = this.all.length;
    let start = 0;
    do {
      const end = Math.min(start + SERIES_PER_CHUNK, count);
      yield this.all.slice(start, end).flatMap((series) => series.samples());
      start = end;
    } while (start < count);
  }

  private admit(tuple: string, labels: Labels): S {
    const values = this.labelNames.map((name) => labels[name] ?? "");
    // The caps alone may have made all of them `__other__`: that is the same series, not a second of its name.
    const isAllOther = values.every((value) => value === OTHER_LABEL_VALUE);
    if (isAllOther || !this.budget.take()) {
      return (this.overflow ??= this.add(values.map(() => OTHER_LABEL_VALUE)));
    }
    const series = this.add(values);
    this.byTuple.set(tuple, series);
    return series;
  }

  private add(values: readonly string[]): S {
    const entries = this.labelNames.map((name, index) => [name, values[index] ?? ""]);
    const series = this.create(Object.fromEntries(entries) as Labels);
    this.all.push(series);
    return series;
  }
}
