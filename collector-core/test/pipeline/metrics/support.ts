import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { BatchContext, SpanFacts } from "../../../src/span/span-facts.js";
import type { ExpositionFormat } from "../../../src/pipeline/metrics/exposition.js";
import { renderMetrics } from "../../../src/pipeline/metrics/exposition.js";
import type { MetricSource } from "../../../src/pipeline/metrics/series-family.js";
import {
  createSpanMetrics,
  type SpanMetrics,
  type SpanMetricsOptions,
} from "../../../src/pipeline/metrics/span-metrics.js";
import { systemClock } from "../../../src/runtime/clock.js";
import { parseExposition, type ParsedExposition, type ParsedSample } from "./parse-exposition.js";

const DEFAULT_CAPS: SpanMetricsOptions["caps"] = {
  service: 200,
  env: 20,
  tenant: 200,
  span_type: 20,
  model: 50,
  provider: 10,
  tool_name: 200,
  agent: 200,
  error_type: 50,
  evaluation_type: 20,
};

interface TestOptions extends Partial<Omit<SpanMetricsOptions, "caps">> {
  readonly caps?: Partial<SpanMetricsOptions["caps"]>;
}

/** Creates span metrics with the defaults of the spec. */
export function createTestMetrics({ caps, ...options }: TestOptions = {}): SpanMetrics {
  return createSpanMetrics({
    durationBuckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
    tokensBuckets: [10, 50, 100, 250, 500, 1000, 2000, 4000, 8000, 16000, 32000],
    maxLabelValueLength: 128,
    maxSeries: 20_000,
    ...options,
    caps: { ...DEFAULT_CAPS, ...caps },
  });
}

export const CONTEXT: BatchContext = {
  tenant: "",
  service: "shop",
  env: "test",
  version: undefined,
  receivedAtMs: 1_700_000_000_000,
};

/** Facts of a minimal OK span of type `span`. */
export function spanFacts(facts: Partial<SpanFacts> = {}): SpanFacts {
  return {
    traceId: "t",
    spanId: "s",
    parentSpanId: "",
    name: "work",
    spanType: "span",
    status: "OK",
    isRunning: false,
    start: { epochMs: 0, nanos: 0 },
    end: undefined,
    durationMs: undefined,
    model: "",
    provider: "",
    toolName: "",
    agent: "",
    sessionId: "",
    userId: "",
    promptName: "",
    promptVersion: "",
    evaluationType: "",
    errorCategory: "",
    errorPropagated: false,
    tokensInput: undefined,
    tokensOutput: undefined,
    tokensCached: undefined,
    tokensCacheWrite: undefined,
    tokensReasoning: undefined,
    costUsd: undefined,
    costSource: undefined,
    ttftMs: undefined,
    evaluationScore: undefined,
    contentFlags: 0,
    ...facts,
  };
}

/** Facts of a model call with a value for each of its families. */
export function llmFacts(facts: Partial<SpanFacts> = {}): SpanFacts {
  return spanFacts({
    spanType: "llm",
    durationMs: 1500,
    model: "m1",
    provider: "p1",
    agent: "a1",
    tokensInput: 120,
    tokensOutput: 30,
    costUsd: 0.25,
    ttftMs: 200,
    ...facts,
  });
}

export function record(metrics: SpanMetrics, facts: SpanFacts, context = CONTEXT, countsUsage = true): void {
  metrics.record(facts, context, countsUsage);
}

export async function scrapeText(
  sources: readonly MetricSource[],
  format: ExpositionFormat,
): Promise<string> {
  let text = "";
  for await (const chunk of renderMetrics(format, sources, systemClock).body) text += chunk;
  return text;
}

export async function scrape(
  sources: readonly MetricSource[],
  format: ExpositionFormat = "text",
): Promise<ParsedExposition> {
  return parseExposition(await scrapeText(sources, format), format);
}

/** All samples of a family; for a histogram only the `_count` samples. */
export async function samplesOf(source: MetricSource, name: string): Promise<readonly ParsedSample[]> {
  const family = (await scrape([source])).get(name);
  if (family === undefined) throw new Error(`${name} is not exposed`);
  return family.samples.filter((sample) => family.type !== "histogram" || sample.name === `${name}_count`);
}

/** The single sample of a family. */
export async function onlySample(source: MetricSource, name: string): Promise<ParsedSample> {
  const [sample, ...others] = await samplesOf(source, name);
  if (sample === undefined || others.length > 0) throw new Error(`${name} has not one sample`);
  return sample;
}

export async function valuesOfLabel(source: MetricSource, name: string, label: string): Promise<string[]> {
  return (await samplesOf(source, name)).map((sample) => sample.labels[label] ?? "").sort();
}

/** The value of `obs_label_overflow_total` for one label. */
export async function overflowsOf(source: MetricSource, label: string): Promise<number | undefined> {
  return (await samplesOf(source, "obs_label_overflow_total")).find(
    (sample) => sample.labels["label"] === label,
  )?.value;
}

export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** The used heap after a garbage collection. */
export function heapUsedAfterGc(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
