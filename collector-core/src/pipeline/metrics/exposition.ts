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

/** The answer to `GET /metrics` (spec 4.2). */
export interface MetricsPage {
  readonly contentType: string;
  /** Made as it is read, with pauses in which the event loop gets its turn. */
  readonly body: AsyncIterable<string>;
}

const CONTENT_TYPES: Readonly<Record<ExpositionFormat, RegistryContentType>> = {
  text: prometheusContentType,
  openmetrics: openMetricsContentType,
};

/** Samples that are written at once: few enough that a page of the largest histograms is never one string. */
const SAMPLES_PER_PIECE = 3000;

/**
 * Renders the families of all sources, then those of the process. Any number of pages may be in the making at once.
 *
 * A page is not one moment: a family is read when its turn comes, a histogram's series always whole.
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
  // What the process tells of itself takes a millisecond or two, and nobody needs it of fifty scrapes at once.
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
 * One chunk by prom-client's serializer, with the two header lines. The metric is made for this one call: OpenMetrics
 * wants a counter's name without `_total`, and prom-client would take it off a shared metric for good.
 */
async function serialize(
  serializer: Registry<RegistryContentType>,
  family: ExposedFamily,
  samples: readonly MetricSample[],
  format: ExpositionFormat,
): Promise<string> {
  const isOpenMetricsCounter = format === "openmetrics" && family.type === "counter";
  const name = isOpenMetricsCounter ? family.name.replace(/_total$/, "") : family.name;
  // A NaN is left out (contract 4): prom-client would write "Nan".
  const values = samples.filter(({ value }) => !Number.isNaN(value));
  const snapshot = { name, help: family.help, type: family.type, values };
  serializer.clear();
  serializer.registerMetric({ name, get: () => snapshot } as unknown as Metric);
  return `${await serializer.getSingleMetricAsString(name)}\n`;
}

/** A family's HELP and TYPE stand only once, before its first chunk. */
function withoutHeader(lines: string): string {
  // eslint-disable-next-line obspan/no-uncopied-part -- written at once
  return lines.slice(lines.indexOf("\n", lines.indexOf("\n") + 1) + 1);
}
