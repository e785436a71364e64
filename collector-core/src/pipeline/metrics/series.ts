import { finiteSum } from "../../span/finite-sum.js";
import { exemplarSample, type Exemplar, type ExemplarSample } from "./exemplar.js";

/** Names and values of the labels of one series. */
export type Labels = Readonly<Record<string, string>>;

/** One line of the exposition, in the shape of prom-client's serializer. */
export interface MetricSample {
  readonly value: number;
  /** Labels of this line only. */
  readonly labels: Labels;
  /** Labels of all lines of a series. Always the same object, because the serializer caches its text. */
  readonly sharedLabels: Labels;
  /** Set when it differs from the family name: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string;
  /** Written only in OpenMetrics. */
  readonly exemplar?: ExemplarSample;
}

/** The series of one label tuple. */
export interface Series {
  /** Number of recordings. */
  readonly recordings: number;
  samples(): MetricSample[];
}

const NO_LABELS: Labels = {};

/** Creates a sample of a value that is read at each scrape. */
export function sample(value: number, labels: Labels = NO_LABELS): MetricSample {
  return { value, labels, sharedLabels: NO_LABELS };
}

/** A monotonic sum. */
export class CounterSeries implements Series {
  value = 0;
  recordings = 0;

  readonly #labels: Labels;

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  add(amount: number): void {
    this.value = finiteSum(this.value, amount);
    this.recordings += 1;
  }

  samples(): MetricSample[] {
    return [{ value: this.value, labels: NO_LABELS, sharedLabels: this.#labels }];
  }
}

/** Properties that all series of a histogram share. */
export interface HistogramShape {
  /** Ascending upper bounds, without +Inf. */
  readonly bounds: readonly number[];
  /** An `le` label for each bound and for +Inf, shared by all series. */
  readonly bucketLabels: readonly Labels[];
  readonly bucketName: string;
  readonly sumName: string;
  readonly countName: string;
}

/** Creates the shape of histogram `name` with ascending, finite bucket bounds. */
export function histogramShape(name: string, bounds: readonly number[]): HistogramShape {
  return {
    bounds: [...bounds],
    bucketLabels: [...bounds.map(formatBucketBound), "+Inf"].map((le) => ({ le })),
    bucketName: `${name}_bucket`,
    sumName: `${name}_sum`,
    countName: `${name}_count`,
  };
}

/** A histogram series. */
export class HistogramSeries implements Series {
  /** Count of each bucket, not cumulative; the last is the +Inf bucket. */
  readonly #counts: number[];
  readonly #labels: Labels;
  readonly #shape: HistogramShape;
  #sum = 0;
  /** The latest exemplar of each bucket; undefined until the first one. */
  #exemplars: (ExemplarSample | undefined)[] | undefined;
  recordings = 0;

  constructor(labels: Labels, shape: HistogramShape) {
    this.#labels = labels;
    this.#shape = shape;
    this.#counts = new Array<number>(shape.bucketLabels.length).fill(0);
  }

  /**
   * Records a finite value.
   *
   * @returns the index of the value's bucket.
   */
  observe(value: number, exemplar?: Exemplar): number {
    const { bounds } = this.#shape;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum = finiteSum(this.#sum, value);
    this.recordings += 1;
    if (exemplar !== undefined) (this.#exemplars ??= [])[bucket] = exemplarSample(exemplar, value);
    return bucket;
  }

  samples(): MetricSample[] {
    const sharedLabels = this.#labels;
    const shape = this.#shape;
    let cumulative = 0;
    const samples: MetricSample[] = shape.bucketLabels.map((labels, bucket) => {
      cumulative += this.#counts[bucket] ?? 0;
      const exemplar = this.#exemplars?.[bucket];
      const line = { value: cumulative, labels, sharedLabels, metricName: shape.bucketName };
      return exemplar === undefined ? line : { ...line, exemplar };
    });
    samples.push(
      { value: this.#sum, labels: NO_LABELS, sharedLabels, metricName: shape.sumName },
      { value: this.recordings, labels: NO_LABELS, sharedLabels, metricName: shape.countName },
    );
    return samples;
  }
}

/**
 * Formats a bound as a canonical number of OpenMetrics (`1.0`, `1e+06`). The text format uses the same form, so that a
 * bucket is the same series in both formats.
 */
export function formatBucketBound(bound: number): string {
  if (bound !== 0 && (bound >= 1e6 || bound < 1e-4)) {
    return bound.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}
