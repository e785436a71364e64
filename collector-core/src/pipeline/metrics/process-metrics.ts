import { collectDefaultMetrics, Registry } from "prom-client";
import type { ExposedFamily } from "./series-family.js";
import { formatBucketBound, type Labels } from "./series.js";

/** What prom-client gives, as it really is: its own declaration has `type` as a number. */
interface ProcessFamily {
  readonly name: string;
  readonly type: ExposedFamily["type"];
  readonly help: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

let registry: Registry | undefined;

/**
 * prom-client's `process_*` and `nodejs_*` families, as they stand. They tell of the process, not of one collector in
 * it, and their observers cannot be stopped: they are made once.
 */
export async function processFamilies(): Promise<ExposedFamily[]> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  const families = (await registry.getMetricsAsJSON()) as unknown as readonly ProcessFamily[];
  return families.map(({ name, type, help, values }) => {
    const samples = values.map(({ labels, ...sample }) => ({
      ...sample,
      labels: formatLabels(labels),
      sharedLabels: {},
    }));
    return { name, type, help, chunks: () => [samples] };
  });
}

function formatLabels(labels: Readonly<Record<string, string | number>>): Labels {
  const entries = Object.entries(labels).map(([name, value]) => {
    return [name, name === "le" && typeof value === "number" ? formatBucketBound(value) : String(value)];
  });
  return Object.fromEntries(entries) as Labels;
}
