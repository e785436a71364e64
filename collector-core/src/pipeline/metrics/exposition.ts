import {
  openMetricsContentType,
  prometheusContentType,
  Registry,
  type Metric,
  type RegistryContentType,
} from "prom-client";
import type { Clock } from "../../runtime/clock.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { processFamilies } from "./process-metrics.js";
import type { MetricSample } from "./series.js";
import type { ExposedFamily, MetricSource } from "./series-family.js";

/** `text`: Prometheus text 0.0.4; `openmetrics`: OpenMetrics 1.0. */
export type ExpositionFormat = "text" | "openmetrics";

/** Response of `GET /metrics` (spec 4.2). */
export interface MetricsPage {
  readonly contentType: string;
  /** Generated on demand; yields to the event loop between time slices. */
  readonly body: AsyncIterable<string>;
}

const CONTENT_TYPES: Readonly<Record<ExpositionFormat, RegistryContentType>> = {
  text: prometheusContentType,
  openmetrics: openMetricsContentType,
};

/** Samples per piece of the body, so that a page of large histograms never becomes one string. */
const SAMPLES_PER_PIECE = 3000;

/**
 * Renders the families of all sources, then those of the process. Any number of pages can be rendered concurrently.
 *
 * A page is not a snapshot: each family is read when it is rendered. The samples of one histogram series are
 * consistent.
 */
export function renderMetrics(
  format: ExpositionFormat,
  sources: readonly MetricSource[],
  clock: Pick<Clock, "monotonic">,
): MetricsPage {
  return { contentType: CONTENT_TYPES[format], body: renderBody(format, sources, clock) };
}

async function* renderBody(
  format: ExpositionFormat,
  sources: readonly MetricSource[],
  clock: Pick<Clock, "monotonic">,
): AsyncGenerator<string> {
  const timeSlice = new TimeSlice(clock, undefined, "urgent");
  // Collecting the process metrics takes 1 to 2 ms, which must not run for many scrapes in the same turn.
  if (timeSlice.isOver()) await timeSlice.next();
  const families = [...sources.flatMap((source) => source.families()), ...(await processFamilies())];
  const serializer = new Registry<RegistryContentType>();
  serializer.setContentType(CONTENT_TYPES[format]);
  let text = "";
  let samplesInPiece = 0;
  for (const family of families) {
    let isFirst = true;
    for (const samples of family.chunks()) {
      const lines = await serialize(serializer, family, samples, format);
      text += isFirst ? lines : withoutHeader(lines);
      isFirst = false;
      samplesInPiece += samples.length;
      if (samplesInPiece >= SAMPLES_PER_PIECE) {
        yield text;
        text = "";
        samplesInPiece = 0;
      }
      if (timeSlice.isOver()) await timeSlice.next();
    }
  }
  yield format === "openmetrics" ? `${text}# EOF\n` : text;
}

/**
 * Serializes one chunk with prom-client, including the two header lines. The metric exists for this call only: for
 * OpenMetrics prom-client removes `_total` from a counter's name, which would permanently change a shared metric.
 */
async function serialize(
  serializer: Registry<RegistryContentType>,
  family: ExposedFamily,
  samples: readonly MetricSample[],
  format: ExpositionFormat,
): Promise<string> {
  const isOpenMetricsCounter = format === "openmetrics" && family.type === "counter";
  const name = isOpenMetricsCounter ? family.name.replace(/_total$/, "") : family.name;
  // NaN is omitted (contract 4): prom-client writes the invalid "Nan".
  const values = samples.filter(({ value }) => !Number.isNaN(value));
  const snapshot = { name, help: family.help, type: family.type, values };
  serializer.clear();
  serializer.registerMetric({ name, get: () => snapshot } as unknown as Metric);
  return `${await serializer.getSingleMetricAsString(name)}\n`;
}

/** Removes HELP and TYPE, which appear only before a family's first chunk. */
function withoutHeader(lines: string): string {
  // eslint-disable-next-line obspan/no-uncopied-part -- written at once
  return lines.slice(lines.indexOf("\n", lines.indexOf("\n") + 1) + 1);
}
