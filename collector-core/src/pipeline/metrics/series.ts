import { exemplarSample, type Exemplar, type ExemplarSample } from "./exemplar.js";

/** Names and values of the labels of one series. */
export type Labels = Readonly<Record<string, string>>;

/** One line of the exposition, in the shape that prom-client's serializer takes. */
export interface MetricSample {
  readonly value: number;
  /** Labels of this line alone. */
  readonly labels: Labels;
  /** Labels of all lines of a series: one object for its whole life, for the serializer remembers its text. */
  readonly sharedLabels: Labels;
  /** Where it is not the family's: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string;
  /** Shown in OpenMetrics alone. */
  readonly exemplar?: ExemplarSample;
}

/** What is counted under one label tuple. */
export interface Series {
  /** How often something was recorded. */
  readonly recordings: number;
  samples(): MetricSample[];
}

const NO_LABELS: Labels = {};

/** A value that is not kept as a series: read when it is scraped. */
export function sample(value: number, labels: Labels = NO_LABELS): MetricSample {
  return { value, labels, sharedLabels: NO_LABELS };
}

/** A sum that only grows. */
export class CounterSeries implements Series {
  value = 0;
  recordings = 0;

  constructor(private readonly labels: Labels) {}

  add(amount: number): void {
    this.value = addFinite(this.value, amount);
    this.recordings += 1;
  }

  samples(): MetricSample[] {
    return [{ value: this.value, labels: NO_LABELS, sharedLabels: this.labels }];
  }
}

/** What all series of a histogram have in common. */
export interface HistogramShape {
  /** Upper bounds, ascending, without +Inf. */
  readonly bounds: readonly number[];
  /** A `le` label for each bound and for +Inf, the same objects for every series. */
  readonly bucketLabels: readonly Labels[];
  readonly bucketName: string;
  readonly sumName: string;
  readonly countName: string;
}

/** Shape of the histogram `name` with these bucket bounds, ascending and finite. */
export function histogramShape(name: string, bounds: readonly number[]): HistogramShape {
  return {
    bounds: [...bounds],
    bucketLabels: [...bounds.map(formatBucketBound), "+Inf"].map((le) => ({ le })),
    bucketName: `${name}_bucket`,
    sumName: `${name}_sum`,
    countName: `${name}_count`,
  };
}

/** Values counted by bucket. */
export class HistogramSeries implements Series {
  /** Values in each bucket alone; the last is what is over all bounds. */
  private readonly counts: number[];
  private sum = 0;
  /** The last one of each bucket; undefined until there is one. */
  private exemplars: (ExemplarSample | undefined)[] | undefined;
  recordings = 0;

  constructor(
    private readonly labels: Labels,
    private readonly shape: HistogramShape,
  ) {
    this.counts = new Array<number>(shape.bucketLabels.length).fill(0);
  }

  /**
   * Takes a finite value.
   *
   * @returns the bucket that it fell into.
   */
  observe(value: number, exemplar?: Exemplar): number {
    const { bounds } = this.shape;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum = addFinite(this.sum, value);
    this.recordings += 1;
    if (exemplar !== undefined) (this.exemplars ??= [])[bucket] = exemplarSample(exemplar, value);
    return bucket;
  }

  samples(): MetricSample[] {
    const { labels: sharedLabels, shape } = this;
    let cumulative = 0;
    const samples: MetricSample[] = shape.bucketLabels.map((labels, bucket) => {
      cumulative += this.counts[bucket] ?? 0;
      const exemplar = this.exemplars?.[bucket];
      const line = { value: cumulative, labels, sharedLabels, metricName: shape.bucketName };
      return exemplar === undefined ? line : { ...line, exemplar };
    });
    samples.push(
      { value: this.sum, labels: NO_LABELS, sharedLabels, metricName: shape.sumName },
      { value: this.recordings, labels: NO_LABELS, sharedLabels, metricName: shape.countName },
    );
    return samples;
  }
}

/**
 * A bound as OpenMetrics wants its canonical numbers (`1.0`, `1e+06`). The text format gets the same, so that a bucket
 * is one series whichever format a scraper asks for.
 */
export function formatBucketBound(bound: number): string {
  if (bound !== 0 && (bound >= 1e6 || bound < 1e-4)) {
    return bound.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

/** Two finite amounts can make an infinite sum, which no later scrape could undo. */
function addFinite(sum: number, amount: number): number {
  return Math.min(sum + amount, Number.MAX_VALUE);
}
